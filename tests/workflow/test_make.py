"""What is given to `make` reaches the programs as it was given."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

from tests.commands_run import PROJECT

pytestmark = pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
ODD = 'a b\'s "c" (d) + {e}: #f; `g` \\h *'


def told(folder: Path, *arguments: str) -> List[str]:
    """The arguments of the program that a target starts: `python` or `allennlp`."""
    for name in ("python", "allennlp"):
        program = folder / name
        program.write_text(
            f"#!{sys.executable}\nimport json, sys\nprint(json.dumps(sys.argv[1:]))\n"
        )
        program.chmod(0o700)
    # Nothing to set up, and programs that only say what they were told.
    command = ["make", "-C", str(PROJECT), "-s", "INSTALLED=", "ENGINE_INSTALLED=", f"BIN={folder}"]
    return json.loads(
        subprocess.run([*command, *arguments], check=True, capture_output=True).stdout
    )


@pytest.mark.parametrize("target", ["study", "study-plan"])
def test_paths_and_names_may_hold_spaces_and_quotes(target, tmp_path):
    names = ("DATA", "RUNS", "RESULTS", "STUDY")
    given = told(tmp_path, target, "SEEDS=2", *(f"{name}={ODD} {name}" for name in names))
    assert given[:3] == [
        "study",
        target.replace("study-", "").replace("study", "run"),
        f"{ODD} STUDY",
    ]
    for name in names[:-1]:
        assert given[given.index(f"--{name.lower()}") + 1] == f"{ODD} {name}"
    assert given[given.index("--seeds") + 1] == "2" and "--size" not in given


def test_several_corpora_are_several_words(tmp_path):
    given = told(tmp_path, "study", "STUDY=a", "CORPORA=one(1) two's", "MODELS=x")
    assert given[3:8] == ["--corpora", "one(1)", "two's", "--models", "x"]


def test_results_are_those_of_all_studies(tmp_path):
    given = told(tmp_path, "results")
    finished = sorted(account.parent.name for account in PROJECT.glob("results/*/study.json"))
    assert given[:3] == ["-m", "analysis", "results"] and finished
    assert given[3:] == [
        *(f"results/{name}" for name in finished),
        *("-o", "RESULTS.md", "--readme", "README.md"),
    ]
