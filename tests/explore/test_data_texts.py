"""The texts of the data file: listed when they are read, and searched for those that mislead."""

import json

import pytest

from attention_explain.api import explain
from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from attention_explain.explore import data_texts
from attention_explain.explore.data_texts import DECISIVE, DataTexts
from tests.builders import LABELS, TEXTS
from tests.explore.opened import opened, opened_folder, opened_pairs
from tests.pairs import PAIRS
from tests.tiny_transformers import save_tiny_transformer

FOREVER = 100


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "texts.jsonl"
    lines = [
        json.dumps({"text": text, "label": label, "id": str(number)})
        for number, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def started(model, data) -> DataTexts:
    texts = DataTexts(model, data)
    texts.start(FOREVER)
    return texts


def test_texts_are_listed_in_their_order(file):
    listed = started(opened(), file).listed()
    assert not listed["reading"] and listed["data"] == file
    assert [text["words"] for text in listed["texts"]] == [text.split() for text in TEXTS]
    assert [text["label"] for text in listed["texts"]] == LABELS
    assert listed["texts"][0]["query"] is None


def test_pairs_are_listed_with_their_second_text(tmp_path):
    passage, question, answer = PAIRS[0]
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"passage": passage, "question": question, "answer": answer}) + "\n")
    (text,) = started(opened_pairs(), str(path)).listed()["texts"]
    assert text["words"] == passage.split() and text["query"] == question


def test_texts_for_a_folder_are_listed_as_they_are_written(tmp_path):
    path = tmp_path / "texts.jsonl"
    lines = [{"text": "fine,  a film"}, {"tokens": ["fine", "film"]}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = opened_folder(save_tiny_transformer(tmp_path / "roberta", "roberta"))
    written, given = started(model, str(path)).listed()["texts"]
    assert written["words"] == ["fine", ",", "a", "film"]
    assert written["text"] == "fine,  a film" and given["text"] is None


def test_many_texts_are_spread_over_the_data(file, monkeypatch):
    monkeypatch.setattr(data_texts, "LISTED", 2)
    listed = started(opened(), file).listed()["texts"]
    assert [text["words"] for text in listed] == [TEXTS[0].split(), TEXTS[3].split()]


def test_a_file_that_is_not_there_is_said_at_once(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        DataTexts(opened(), str(tmp_path / "none.jsonl")).start(FOREVER)


def test_what_is_wrong_later_is_said_on_the_page(tmp_path):
    texts = DataTexts(opened(), str(tmp_path / "none.jsonl"))
    assert texts.listed()["reading"]
    assert texts.misleading()["of"] == 0
    texts._read()
    with pytest.raises(InputError, match="no such file"):
        texts.listed()


def test_texts_mislead_by_what_attention_misses_of_the_fall(file, monkeypatch):
    model = opened()
    texts = started(model, file)
    # One text a request.
    monkeypatch.setattr(data_texts, "SECONDS", 0.0)
    expected = []
    for position, text in enumerate(TEXTS):
        words = text.split()
        if len(words) < 2:
            continue
        explained = explain(
            model.model, words, ["attention", DECISIVE], dataset_reader=model.reader
        )
        found = explained.verdict().methods
        missed = found["attention"].without.probability - found["decisive"].without.probability
        expected.append((missed, position))
    monkeypatch.setattr("time.monotonic", iter(range(1000)).__next__)
    monkeypatch.setattr(data_texts, "SECONDS", 1.5)
    found = [texts.misleading() for _ in TEXTS]
    assert [each["searched"] for each in found] == [1, 2, 3, 4]
    assert all(each["of"] == 4 for each in found)
    worst = sorted((each for each in expected if each[0] > 0), reverse=True)
    assert worst and [each["position"] for each in found[-1]["texts"]] == [at for _, at in worst]
    for each, (missed, _) in zip(found[-1]["texts"], worst, strict=True):
        assert each["by_attention"] - each["by_deleting"] == pytest.approx(missed, abs=1e-6)


def test_a_transformer_can_mislead_too(file, tmp_path):
    folder = opened_folder(save_tiny_transformer(tmp_path / "bert", labels=("0", "1")))
    texts = started(folder, file)
    assert texts.can_mislead
    while (found := texts.misleading())["searched"] < found["of"]:
        pass
    assert found["of"] == 4
