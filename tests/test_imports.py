"""Which packages import each other: at most the pairs that are listed here, each with its reason."""

import ast
from pathlib import Path
from typing import Dict, Iterator, Set, Tuple

PROJECT = Path(__file__).parent.parent
ROOTS = ("attention_explain", "analysis")

# Pairs of packages that import each other, with the reason. Remove a pair when its cycle is
# gone.
MUTUAL: Dict[Tuple[str, str], str] = {
    ("analysis.verdict", "analysis.verdict.questions"): "the package registers its questions",
    (
        "attention_explain.__main__",
        "attention_explain.commands.startup",
    ): "both start the `allennlp` command",
}


def modules() -> Dict[str, Path]:
    """The modules of the project by their dotted names."""
    paths = (path for root in ROOTS for path in (PROJECT / root).rglob("*.py"))
    return {name_of(path): path for path in paths}


def name_of(path: Path) -> str:
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[str]:
    """The dotted names that a file imports, at its top or inside a function."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package_edges() -> Set[Tuple[str, str]]:
    """
    The pairs (importing, imported) of packages. A module directly in a root is a package of its own: the
    root holds modules for everyone (`errors`) next to those that use everything (`api`).
    """
    known = modules()

    def module_of(name: str) -> str:
        while name and name not in known:
            name = name.rpartition(".")[0]
        return name

    def package_of(module: str) -> str:
        if known[module].name == "__init__.py":
            return module
        package = module.rpartition(".")[0]
        return module if package in ROOTS else package

    edges = set()
    for module, path in known.items():
        targets = {module_of(name) for name in imports(path)} - {"", module}
        edges |= {(package_of(module), package_of(target)) for target in targets}
    return edges


def mutual_pairs() -> Set[Tuple[str, str]]:
    edges = package_edges()
    return {(a, b) for a, b in edges if a < b and (b, a) in edges}


def test_no_other_packages_import_each_other():
    assert mutual_pairs() - set(MUTUAL) == set()


def test_listed_pairs_still_import_each_other():
    assert set(MUTUAL) - mutual_pairs() == set()


def test_few_pairs_are_listed():
    assert len(MUTUAL) <= 6
