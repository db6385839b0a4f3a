"""The folder of a verdict, or what is none."""

import json

import pytest
from allennlp.common.checks import ConfigurationError

from attention_explain.explore.verdict_folder import WANTED, evidence, read_verdict


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
    with pytest.raises(ConfigurationError, match=sentence):
        read_verdict(str(tmp_path))
