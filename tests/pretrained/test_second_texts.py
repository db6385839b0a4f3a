"""A second text that would be ignored is an error; two texts that are named as a pair are one."""

import json

import pytest
import torch

from attention_explain import explain
from attention_explain.archives import open_archive
from attention_explain.commands.attribute import attribute_from_file
from attention_explain.data.errors import DataError
from attention_explain.data.question_passage import QuestionPassageReader
from attention_explain.errors import InputError
from attention_explain.predictors.saliency import SaliencyPredictor

PAIR = {"passage": "a fine film", "question": "the acting", "answer": "pos"}


@pytest.fixture
def data(tmp_path):
    def write(**fields):
        path = tmp_path / "texts.jsonl"
        lines = [{"text": "a dull film"}, {"text": "a fine film", **fields}]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(path)

    return write


@pytest.mark.parametrize("reader", ["question_passage", "snli"])
def test_reader_of_pairs(folders, reader):
    with pytest.raises(InputError, match=f"'{reader}' reads pairs for .*own reader"):
        open_archive(folders["bert"], overrides={"dataset_reader.type": reader})


@pytest.mark.parametrize("field", ["hypothesis", "sentence2", "question1"])
def test_field_that_would_be_ignored(folders, data, tmp_path, field):
    output = tmp_path / "scores.parquet"
    with pytest.raises(DataError, match=rf"texts.jsonl, line 2: field '{field}' would be ignored"):
        attribute_from_file(str(folders["bert"]), data(**{field: "the acting"}), output, ["random"])
    assert not output.exists()


def test_field_of_a_line_to_predict(folders, data):
    archive = open_archive(folders["bert"])
    predictor = SaliencyPredictor(archive.model, archive.dataset_reader, interpreters=["random"])
    with pytest.raises(DataError, match="line 2: field 'hypothesis' would be ignored"):
        predictor.check_file(data(hypothesis="the acting"))


def test_fields_that_are_read_or_empty(folders, data, tmp_path):
    """A premise can be the text; an empty cell is no text, and two texts are a pair."""
    path = tmp_path / "texts.csv"
    path.write_text("premise,hypothesis\na fine film,\n")
    overrides = {"dataset_reader.fields": {"text": "premise"}}
    reader = open_archive(folders["bert"], overrides=overrides).dataset_reader
    reader.require_label = False
    assert len(list(reader.read(str(path)))) == 1
    path.write_text("premise,hypothesis\na fine film,the acting\n")
    (instance,) = reader.read(str(path))
    assert instance["metadata"]["query"] == ["the", "acting"]


def test_fields_can_be_allowed(folders, data):
    overrides = {"dataset_reader.disallowed_fields": []}
    reader = open_archive(folders["bert"], overrides=overrides).dataset_reader
    reader.require_label = False
    assert len(list(reader.read(data(hypothesis="the acting")))) == 2


def test_reader_of_pairs_from_python(folders):
    archive = open_archive(folders["bert"])
    reader = QuestionPassageReader(token_indexers=archive.dataset_reader._token_indexers)
    with pytest.raises(InputError, match="second text, 'query', which a TransformerClass"):
        explain(archive.model, "a film", query="the acting", dataset_reader=reader)


def test_second_text_in_a_forward_pass(folders):
    """As `allennlp train` and `allennlp evaluate` would give it."""
    archive = open_archive(folders["bert"])
    reader = QuestionPassageReader(token_indexers=archive.dataset_reader._token_indexers)
    instance = reader.text_to_instance(text="a film", query="the acting")
    reader.apply_token_indexers(instance)
    with torch.no_grad(), pytest.raises(InputError, match="second text, 'query'"):
        archive.model.forward_on_instances([instance])
