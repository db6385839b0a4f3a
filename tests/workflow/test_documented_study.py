"""The studies that docs/how-to/studies.md shows for one's own data are what they are said to be."""

import json
import re
from pathlib import Path
from typing import List

import pytest

from attention_explain.workflow.plan import Folders, make_plan
from attention_explain.workflow.study_file import load_study
from tests.commands_run import PROJECT, run
from tests.workflow.studies import engine

PAGE = PROJECT / "docs" / "how-to" / "studies.md"


def shown() -> List[str]:
    """Your own data, a study of your own."""
    return re.findall(r"```jsonnet\n(.*?)```", PAGE.read_text(), re.DOTALL)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "my").mkdir()
    for split, number in (("train", 40), ("dev", 12), ("test", 12)):
        with open(tmp_path / "my" / f"{split}.jsonl", "w") as file:
            for position in range(number):
                word = "Fine" if position % 2 else "Poor"
                text = f"{word} piece of work number {position} for a long and idle afternoon"
                file.write(json.dumps({"text": text, "label": word}) + "\n")
    return tmp_path


def test_both_can_be_planned(folder, monkeypatch):
    monkeypatch.chdir(folder)
    own_data, own_study = shown()
    assert len(own_data.splitlines()) <= 10
    Path("my_reviews.jsonnet").write_text(own_data)
    Path("my_study.jsonnet").write_text(own_study)
    study = load_study("my_reviews.jsonnet")
    assert study.title == "My reviews" and {key.corpus for key in study.runs} == {"reviews"}
    plan = make_plan(study, Folders())
    assert any("reviews-bilstm-tanh-softmax-adversary" in name for name in plan.steps)
    entmax = make_plan(load_study("my_study.jsonnet"), Folders())
    # Three projections, five seeds.
    assert sum(step.kind == "train" for step in entmax.steps.values()) == 15


@pytest.mark.slow
def test_ones_own_data_gets_a_report(folder):
    own_data, _ = shown()
    # One adversary is enough here, and a training of one epoch.
    shorter = "lambdas:: [0.002],\n  training(preset):: preset + { trainer+: { num_epochs: 1 } },\n"
    text = own_data.replace("  data:: {", f"  {shorter}  data:: {{")
    (folder / "my_reviews.jsonnet").write_text(text)
    command = [str(PROJECT / ".venv" / "bin" / "python"), "-m", "attention_explain.workflow", "run"]
    options = ["--seeds", "1", "--snakemake", engine()]
    done = run([*command, "my_reviews.jsonnet", *options], folder, {"PYTHONPATH": str(PROJECT)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "open results/my_reviews/report.html" in done.stdout
    page = (folder / "results" / "my_reviews" / "report.html").read_text()
    assert "reviews" in page and "Wiegreffe" in page
