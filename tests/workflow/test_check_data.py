"""Labels and class balance of a study's data are checked before anything is trained."""

import json
import re

import pytest

from attention_explain.workflow import check_data
from attention_explain.workflow.__main__ import main
from attention_explain.workflow.check_data import problem_of
from tests.training.runs import run_config

READER = {"type": "attention_text", "tokenizer": {"type": "just_spaces"}}


def write(path, counts):
    lines = [
        json.dumps({"text": f"{label} text {number}", "label": label})
        for label, times in counts.items()
        for number in range(times)
    ]
    path.write_text("".join(line + "\n" for line in lines))
    return str(path)


def corpus(folder, train, test, limit=None):
    paths = {
        "train": write(folder / "train.jsonl", train),
        "test": write(folder / "test.jsonl", test),
    }
    return {"corpus": "mine", "reader": READER, "paths": paths, "split": "test", "limit": limit}


@pytest.mark.parametrize(
    "train, test, limit, problem",
    [
        ({"a": 50, "b": 50}, {"a": 50, "b": 50}, None, None),
        (
            {"a": 50, "b": 50},
            {"a": 98, "b": 2},
            None,
            "nothing to evaluate; .* 100 texts .* 'a' 98, 'b' 2",
        ),
        ({"a": 50, "b": 50}, {"a": 980, "b": 20}, None, None),
        (
            {"a": 50, "b": 50},
            {"a": 980, "b": 20},
            50,
            "nothing to evaluate; the labels of the 50 texts",
        ),
        ({"a": 50, "b": 50}, {"a": 50, "c": 50}, None, "test.jsonl: has the label 'c', which no"),
        ({"a": 50}, {"a": 50}, None, "train.jsonl: a classifier needs two labels or more"),
    ],
)
def test_what_is_wrong_with_labels_is_found(tmp_path, train, test, limit, problem):
    found = problem_of(corpus(tmp_path, train, test, limit))
    if problem is None:
        assert found is None
    else:
        assert re.search(problem, found)


def test_a_study_fails_before_it_trains(tmp_path, monkeypatch, capsys):
    data = write(tmp_path / "data.jsonl", {"a": 98, "b": 2})
    config = {**run_config([], reader=READER, data=data), "test_data_path": data}
    study = {
        "title": "Mine",
        "seeds": [1],
        "corpora": {"mine": {"base": {"config": config, "attributions": {"all": ["attention"]}}}},
        "tables": [{"command": "models", "from": ["runs"]}],
    }
    (tmp_path / "study.jsonnet").write_text(json.dumps(study))
    monkeypatch.setattr(
        "attention_explain.workflow.run.run", lambda *given: pytest.fail("the study was begun")
    )
    arguments = ["run", str(tmp_path / "study.jsonnet"), "--runs", str(tmp_path / "runs")]
    assert main([*arguments, "--results", str(tmp_path / "results")]) == 2
    assert f"mine: {data}: there is nothing to evaluate" in capsys.readouterr().err


def test_embedded_data_are_not_read(monkeypatch, tmp_path):
    monkeypatch.setattr(check_data.subprocess, "run", lambda *given: pytest.fail("data were read"))
    monkeypatch.setattr("attention_explain.workflow.run.run", lambda *given: 0)
    folders = ["--runs", str(tmp_path / "runs"), "--results", str(tmp_path / "results")]
    assert main(["run", "planted", "--size", "quick", *folders]) == 0
