"""One word for one thing: a name that two classes share means two things."""

import ast
from collections import defaultdict
from pathlib import Path

PROJECT = Path(__file__).parent.parent
PACKAGES = (
    "analysis",
    "attention_explain",
    "benchmarks",
)


def public_classes(package: str):
    """Each with the place of its definition."""
    for path in sorted((PROJECT / package).rglob("*.py")):
        for statement in ast.parse(path.read_text()).body:
            if isinstance(statement, ast.ClassDef) and not statement.name.startswith("_"):
                yield statement.name, f"{path.relative_to(PROJECT)}:{statement.lineno}"


def test_all_packages_are_looked_at():
    of_the_project = {path.parent.name for path in PROJECT.glob("*/__init__.py")}
    assert of_the_project - {"tests"} == set(PACKAGES)


def test_no_two_classes_have_one_name():
    places = defaultdict(list)
    for package in PACKAGES:
        for name, place in public_classes(package):
            places[name].append(place)
    assert {name: twice for name, twice in places.items() if len(twice) > 1} == {}
