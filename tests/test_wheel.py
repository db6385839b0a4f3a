"""The wheel works in a new environment and another folder. `make test-wheel` runs this."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.commands_run import PROJECT

pytestmark = pytest.mark.slow

SOURCES = ("attention_explain", "analysis", "training_configs")
FILES = ("setup.py", "pyproject.toml", "README.md", "LICENSE")
# Their version pins are out of date; docs/how-to/install.md says so.
OUTDATED = ("allennlp", "fairscale", "torchvision")
NOTICE = "`python -m workflow` is deprecated"
TEXTS = [("A fine film, saved by its music.", "good"), ("The plot is thin.", "bad")]


def run(*command: object, folder: Path, check: bool = True) -> subprocess.CompletedProcess:
    """Run a command that sees nothing of this checkout."""
    hidden = ("PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: os.environ[name] for name in os.environ if name not in hidden}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**environment, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=1800,
    )
    assert done.returncode == 0 or not check, done.stdout + done.stderr
    return done


def snippet(language: str) -> str:
    """The first snippet of a language in the README."""
    page = (PROJECT / "README.md").read_text("utf-8")
    return re.search(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from a copy, because setuptools writes next to the source."""
    copy = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / name, copy / name, ignore=ignored)
    for name in FILES:
        shutil.copy(PROJECT / name, copy)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", "dist", ".", folder=copy)
    (built,) = (copy / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def commands(wheel, tmp_path_factory) -> Path:
    """The folder with the commands of an environment, set up as docs/how-to/install.md says."""
    environment = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", environment, folder=environment)
    install = (environment / "bin" / "python", "-m", "pip", "install", "-q")
    run(*install, "--no-deps", "-r", PROJECT / "requirements-no-deps.txt", folder=environment)
    constraints = ("-c", PROJECT / "constraints.txt")
    done = run(*install, "--no-warn-conflicts", *constraints, wheel, folder=environment)
    assert "ERROR" not in done.stderr
    return environment / "bin"


@pytest.fixture(scope="module")
def folder(commands, tmp_path_factory) -> Path:
    """Holds the README's config, its data and the model trained from them, and nothing else."""
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "my").mkdir()
    lines = "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in 4 * TEXTS)
    for split in ("train", "dev", "test"):
        (folder / "my" / f"{split}.jsonl").write_text(lines)
    (folder / "my.jsonnet").write_text(snippet("jsonnet"))
    run(commands / "allennlp", "train", "my.jsonnet", "-s", "runs/mine", folder=folder)
    return folder


def test_wheel_holds_every_source_file(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for name in SOURCES:
        prefix = "attention_explain/" if name == "training_configs" else ""
        for path in (PROJECT / name).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{prefix}{path.relative_to(PROJECT)}" in held
    assert any(name.endswith("licenses/LICENSE") for name in held)


def test_only_outdated_pins_are_broken(commands, tmp_path):
    done = run(commands / "python", "-m", "pip", "check", folder=tmp_path, check=False)
    for line in done.stdout.splitlines():
        assert line.split()[0] in OUTDATED, line


def test_studies_are_found(commands, tmp_path):
    done = run(commands / "allennlp", "study", "configs", "attention_debate", folder=tmp_path)
    assert "ag_news" in done.stdout and "bilstm tanh softmax" in done.stdout
    options = ("planted", "--size", "quick")
    planned = run(commands / "allennlp", "study", "plan", *options, folder=tmp_path)
    assert "train" in planned.stdout


def test_former_name_of_study_still_works(commands, tmp_path):
    done = run(commands / "python", "-m", "workflow", "configs", "planted", folder=tmp_path)
    assert "bilstm" in done.stdout and NOTICE in done.stderr


def test_readme_config_trains(folder):
    assert (folder / "runs" / "mine" / "model.tar.gz").is_file()
    assert "test_auc" in json.loads((folder / "runs/mine/metrics.json").read_text())


def test_readme_python_explains(commands, folder):
    done = run(commands / "python", "-c", snippet("python"), folder=folder)
    assert "acting" in done.stdout


def test_explanations_with_methods_of_a_paper(commands, folder):
    methods = "training_configs/interpreters/jain_wallace.jsonnet"
    command = ("attribute", "runs/mine", "my/test.jsonl", "-o", "mine.parquet")
    options = ("--interpreters", methods, "--html", "mine.html")
    run(commands / "allennlp", *command, *options, folder=folder)
    assert (folder / "mine.parquet").is_file() and (folder / "mine.html").is_file()


def test_example_of_a_paper_is_found(commands, tmp_path):
    name = "training_configs/examples/jain_wallace_2019.jsonnet"
    code = (
        "import attention_explain.plugin; from allennlp.common import Params; "
        f"print(Params.from_file({name!r})['model']['type'])"
    )
    done = run(commands / "python", "-c", code, folder=tmp_path)
    assert done.stdout.strip() == "attention_classifier"


def test_verdict_writes_its_page(commands, folder):
    command = ("verdict", "runs/mine", "my/test.jsonl", "-o", "verdict", "--limit", "4")
    run(commands / "allennlp", *command, folder=folder)
    assert (folder / "verdict" / "verdict.html").is_file()
