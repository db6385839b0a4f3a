"""`explain` from Python: what it takes and what it gives."""

import json
import os

import pytest
from allennlp.predictors import Predictor
from transformers import BertConfig, BertForSequenceClassification

from attention_explain.api import explain
from attention_explain.errors import InputError
from attention_explain.heatmaps.explanation import short
from tests.builders import TEXTS, instances, model, reader
from tests.interpret.no_trace import interpreter
from tests.small_archive import small_archive
from tests.test_plugin import SMALL

METHODS = ["attention", "gradient-x-input", "random"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    return small_archive(tmp_path_factory.mktemp("run") / "run")


def test_scores_are_those_of_the_methods():
    classifier = model()
    explained = explain(classifier, TEXTS[1], METHODS, target="0", dataset_reader=reader())
    assert explained.tokens == TEXTS[1].split() and explained.target == "0"
    assert sum(explained.probs) == pytest.approx(1)
    for name in ("attention", "gradient-x-input"):
        method = interpreter(name, classifier)
        (expected,) = method.saliency_interpret_instances(instances(TEXTS[1:2], None), target="0")
        assert explained.scores[name] == pytest.approx(expected["scores"], abs=1e-6)


def test_it_takes_whatever_a_model_is_in(archive):
    text = "the film was fine"
    explained = [
        explain(source, text, METHODS)
        for source in (archive, str(archive), archive.parent, Predictor.from_path(archive))
    ]
    for one in explained[1:]:
        assert one.to_dict() == explained[0].to_dict()


def test_tokens_are_taken_as_they_are(archive):
    explained = explain(archive, tokens=("the", "fine film"), methods=["random"])
    assert explained.tokens == ["the", "fine film"]
    assert len(explained.scores["random"]) == 2
    assert explain(archive, ["the", "film"], ["random"]).tokens == ["the", "film"]


def test_list_of_texts_is_not_taken_for_tokens():
    with pytest.raises(InputError, match="'a dull film' contains white space") as error:
        explain(model(), ["fine", "a dull film"], dataset_reader=reader())
    assert "tokens=[...]" in error.value.message
    assert "call explain for each" in error.value.message


def test_what_is_not_a_model_is_an_error():
    config = BertConfig(vocab_size=5, hidden_size=2, num_hidden_layers=1, num_attention_heads=1)
    with pytest.raises(InputError, match="BertForSequenceClassification needs its tokenizer"):
        explain(BertForSequenceClassification(config), "a dull film")
    with pytest.raises(InputError, match="path of a model, or .*, not a BertConfig"):
        explain(config, "a dull film")


def test_overrides_change_how_a_text_is_read(archive):
    explained = explain(
        archive, "The Film", ["random"], overrides={"dataset_reader.lowercase": True}
    )
    assert explained.tokens == ["the", "film"]


def test_the_mode_of_a_model_is_not_touched():
    classifier = model().train()
    explain(classifier, "a dull film", dataset_reader=reader())
    assert classifier.training and classifier.encoder.training


@pytest.mark.parametrize(
    "text, options, sentence",
    [
        ("a", {"methods": ["lrx"]}, "there is no interpreter 'lrx'"),
        ("a", {"target": "good"}, "target is 'good'"),
        (" ", {}, "the text is empty"),
        ([1, 2], {}, "field 'tokens' may hold only texts"),
        (None, {}, "text is None, but must be a text or a list of its tokens"),
        ("a", {"tokens": ["a"]}, "a text or its tokens, and not both"),
        (None, {"tokens": "a film"}, "tokens is 'a film', but must be a list of strings"),
        ("a", {"overrides": {"model": {}}}, "overrides change what is loaded from a path"),
        ("a", {"dataset_reader": None}, "a model needs the dataset_reader"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(text, options, sentence):
    with pytest.raises(InputError, match=sentence):
        explain(model(), text, **{"dataset_reader": reader(), **options})


def test_a_folder_or_file_that_holds_no_model_is_named(tmp_path):
    (tmp_path / "notes.txt").write_text("no archive")
    with pytest.raises(InputError, match=r"notes.txt: is not a model archive"):
        explain(tmp_path / "notes.txt", "a")
    with pytest.raises(InputError, match="the folder of no training run"):
        explain(tmp_path, "a")
    (tmp_path / "config.json").write_text(json.dumps(SMALL))
    with pytest.raises(InputError, match=r"holds no finished training \(it has no vocab"):
        explain(tmp_path, "a")
    with pytest.raises(InputError, match="absent: no such file or folder"):
        explain(tmp_path / "absent", "a")


def test_to_dict_is_json_with_short_numbers():
    explained = explain(model(), TEXTS[0], METHODS, dataset_reader=reader())
    values = json.loads(json.dumps(explained.to_dict()))
    assert values["saliency"]["random"] == pytest.approx(explained.scores["random"], rel=1e-6)
    assert max(len(str(number)) for number in values["saliency"]["random"]) <= 11
    assert short([0.30000001192092896, 1, float("1e-20")]) == [0.3, 1, 1e-20]


def test_it_is_in_the_package():
    import attention_explain

    assert attention_explain.explain is explain
    assert os.path.basename(attention_explain.__file__) == "__init__.py"
