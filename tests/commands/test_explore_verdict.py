"""Folders of a verdict, and folders of something else."""

import json

import pytest
import torch

from attention_explain.archives import weights_sha256
from attention_explain.commands.explore import WANTED, check_about, evidence, read_verdict
from attention_explain.errors import InputError

VERDICT = {
    **dict.fromkeys(WANTED, "x"),
    "attention": {"answer": "inconclusive", "score": 0.5, "low": 0.4, "high": 0.6},
    "questions": [{"name": "finds_words", "answer": "inconclusive"}],
    "methods": [{"name": "lrp", "score": 0.9, "low": 0.8, "high": 1.0}],
}


def test_verdicts_of_earlier_versions_are_read(tmp_path):
    earlier = {
        **VERDICT,
        "attention": {**VERDICT["attention"], "answer": "cannot be told"},
        "questions": [{"name": "points", "answer": "cannot be told"}],
        "methods": [{"name": "lrp", "place": 0.9, "low": 0.8, "high": 1.0}],
    }
    (tmp_path / "verdict.json").write_text(json.dumps(earlier))
    assert read_verdict(str(tmp_path)) == VERDICT


def test_a_folder(tmp_path):
    (tmp_path / "verdict.json").write_text(json.dumps(VERDICT))
    assert read_verdict(str(tmp_path)) == VERDICT
    assert evidence(str(tmp_path)) == b""
    (tmp_path / "verdict.html").write_text("page")
    assert evidence(str(tmp_path)) == b"page"


@pytest.mark.parametrize(
    "content, sentence",
    [
        (None, "is not the folder of a verdict"),
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[]", "is not a verdict"),
        (json.dumps(dict.fromkeys(WANTED, "x")).encode(), "is not a verdict"),
        (b'{"model": "m"}', "no 'corpus'"),
    ],
)
def test_other_folders_are_errors(tmp_path, content, sentence):
    if content is not None:
        (tmp_path / "verdict.json").write_bytes(content)
    with pytest.raises(InputError, match=sentence):
        read_verdict(str(tmp_path))


def test_a_verdict_is_about_one_of_the_models():
    one, other, third = torch.nn.Linear(1, 1), torch.nn.Linear(1, 2), torch.nn.Linear(1, 3)
    seeds = [weights_sha256(model) for model in (one, other)]
    verdict = {"model": "bilstm", "corpus": "sst", "weights_sha256": seeds}
    assert check_about(verdict, [other], "results") == ""
    assert check_about(verdict, [third, one], "results") == ""
    with pytest.raises(InputError, match=r"results: is the verdict on another model \(bilstm"):
        check_about(verdict, [third], "results")


@pytest.mark.parametrize("older", [{}, {"weights_sha256": []}])
def test_an_older_verdict_is_only_noted(older):
    note = check_about(older, [torch.nn.Linear(1, 1)], "results")
    assert note.startswith("results/verdict.json: does not say which model it is about")
