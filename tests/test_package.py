"""The files that describe the package agree with each other."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, List

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import attention_explain
from attention_explain.jsonnet import configs_folder, find_config, import_path
from tests.commands_run import PROJECT


def text(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def pins(name: str) -> Dict[str, str]:
    """The exact versions in a requirements file, by the name of the package."""
    lines = [line for line in text(name).splitlines() if line and not line.startswith("#")]
    found = (line.split()[0].partition("==") for line in lines)
    return {canonicalize_name(package.partition("[")[0]): pin for package, _, pin in found}


def dependencies() -> List[Requirement]:
    """What setup.py lists."""
    (listed,) = [
        ast.literal_eval(statement.value)
        for statement in ast.parse(text("setup.py")).body
        if isinstance(statement, ast.Assign) and statement.targets[0].id == "DEPENDENCIES"
    ]
    return [Requirement(line) for line in listed]


def setup_says(option: str) -> str:
    command = [sys.executable, "setup.py", "--quiet", f"--{option}"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True)
    return done.stdout.strip().splitlines()[-1]


def test_version_is_the_same_everywhere():
    version = attention_explain.__version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", version)
    assert setup_says("version") == version
    assert re.search(r"^version: (.+)$", text("CITATION.cff"), re.MULTILINE)[1] == version
    assert re.search(r"^## (.+)$", text("CHANGELOG.md"), re.MULTILINE)[1] == version


def test_licence_is_the_same_everywhere():
    assert "Apache License" in text("LICENSE") and "Version 2.0, January 2004" in text("LICENSE")
    assert setup_says("license") == "Apache-2.0"
    assert re.search(r"^license: (.+)$", text("CITATION.cff"), re.MULTILINE)[1] == "Apache-2.0"
    assert "Apache-2.0, see [LICENSE](LICENSE)" in text("README.md")


@pytest.mark.parametrize("package", ["attention_explain", "analysis"])
def test_packages_are_typed(package):
    assert (PROJECT / package / "py.typed").is_file()


def test_dependencies_are_ranges_that_contain_the_pinned_version():
    pinned = pins("constraints.txt")
    for dependency in dependencies():
        operators = {each.operator for each in dependency.specifier}
        # The versions of regex are dates.
        assert operators == ({">="} if dependency.name == "regex" else {">=", "<"}), dependency
        assert dependency.specifier.contains(pinned[canonicalize_name(dependency.name)]), dependency


def test_development_requirements_are_pinned():
    pinned = pins("constraints.txt")
    for name, version in pins("requirements-dev.txt").items():
        assert pinned.get(name) == version, name


def test_packages_without_dependencies_have_one_version():
    documented, advised = text("docs/how-to/install.md"), text("attention_explain/plugin.py")
    for name, version in pins("requirements-no-deps.txt").items():
        assert f"{name}=={version}" in documented and f"{name}=={version}" in advised


def test_configs_of_the_checkout_are_found():
    assert configs_folder() == PROJECT / "training_configs"
    assert Path(import_path()) == PROJECT


def test_a_config_of_the_project_is_found_in_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "training_configs/interpreters/all.jsonnet"
    assert find_config(name) == str(PROJECT / name)
    assert find_config("training_configs/none.jsonnet") == "training_configs/none.jsonnet"
    assert find_config("setup.py") == "setup.py"


def test_ones_own_config_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = Path("training_configs/interpreters/all.jsonnet")
    own.parent.mkdir(parents=True)
    own.write_text("[]")
    assert find_config(own) == str(own)
