"""Texts as long as the model reads, and longer ones, through the command: within the budget, and cut."""

import json

import pytest

from attention_explain.archives import open_archive
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.files.tables import read_sealed
from attention_explain.interpret.interpreter import known_interpreters, supported_interpreters
from attention_explain.models import TransformerClassifier
from tests.tiny_transformers import LONGEST

# Two pieces a word, and two special symbols: one text fits just so, the other is a third longer.
FITTING = LONGEST // 2 - 1
BUDGET = 3 * LONGEST


@pytest.fixture
def data(tmp_path):
    texts = [" ".join(["acting"] * words) for words in (FITTING, FITTING + 4)]
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"id": f"{len(t)}", "text": t}) for t in texts))
    return str(path)


def test_every_method_explains_them_within_the_budget(folders, data, tmp_path, monkeypatch, capsys):
    archive = open_archive(folders["bert"])
    methods, _ = supported_interpreters(known_interpreters(), archive.model, archive.dataset_reader)
    assert {"attention-flow", "lrp", "deeplift", "lime", "input-to-hidden"} <= set(methods)
    held = []
    logits = TransformerClassifier.logits

    def counted(self, embeddings, *given):
        held.append(embeddings.shape[:2].numel())
        return logits(self, embeddings, *given)

    monkeypatch.setattr(TransformerClassifier, "logits", counted)
    output = tmp_path / "scores.parquet"
    metadata = attribute_from_file(str(folders["bert"]), data, output, methods, batch_tokens=BUDGET)
    # The largest passes are full, and none holds more.
    assert max(held) == BUDGET
    for row in read_sealed(output).to_pylist():
        assert len(row["tokens"]) == FITTING
        assert all(len(row[method]) == FITTING for method in methods)
    assert not metadata["skipped"]
    said = f"1 of 2 texts cut: 1 to whole words of at most {LONGEST} pieces, as the model demands"
    assert said in capsys.readouterr().err
