"""The folder of a verdict, or what is none."""

import json

import pytest
import torch

from attention_explain.archives import weights_sha256
from attention_explain.errors import InputError
from attention_explain.explore.verdict_folder import WANTED, check_about, evidence, read_verdict


def test_a_folder(tmp_path):
    whole = dict.fromkeys(WANTED, "x")
    (tmp_path / "verdict.json").write_text(json.dumps(whole))
    assert read_verdict(str(tmp_path)) == whole
    assert evidence(str(tmp_path)) == b""
    (tmp_path / "verdict.html").write_text("page")
    assert evidence(str(tmp_path)) == b"page"


@pytest.mark.parametrize(
    "content, sentence",
    [
        (None, "no folder of a verdict"),
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        (b"[]", "holds no verdict"),
        (b'{"model": "m"}', "it has no 'corpus'"),
    ],
)
def test_what_is_none(tmp_path, content, sentence):
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
