"""What a person may ask of a model: each answer against the model itself."""

import math

import pytest
import torch
from allennlp.data import Vocabulary

from attention_explain.api import explain
from attention_explain.errors import InputError
from attention_explain.explore import open_model
from attention_explain.explore.open_model import OpenModel
from attention_explain.explore.open_text import MOST_WORDS, GivenText
from attention_explain.interpret.text_batch import TextBatch
from tests.builders import instances, model, reader
from tests.explore.opened import METHODS, WORDS, given, opened, opened_folder, opened_pairs
from tests.pairs import PAIRS
from tests.tiny_transformers import save_tiny_transformer


@pytest.fixture(scope="module")
def tiny() -> OpenModel:
    return opened()


def with_weights(classifier, words, weights):
    """The probabilities, by the stages of the model."""
    (instance,) = instances([" ".join(words)], None)
    batch = TextBatch.of(classifier, [instance])
    with torch.no_grad():
        states = classifier.encode(classifier.embed(batch.tokens), batch.inputs)
        logits = classifier.decode(states, torch.tensor([weights], dtype=torch.float))
    return pytest.approx(logits[0].softmax(dim=-1).tolist(), abs=1e-5)


def test_it_says_what_explain_says(tiny):
    found = tiny.explain(given(), METHODS)
    expected = explain(
        tiny.model, list(WORDS), METHODS, dataset_reader=tiny.reader, seed=0
    ).to_dict()
    for name in ("tokens", "label", "labels", "probs", "attention", "unknown"):
        assert found[name] == expected[name]
    assert found["saliency"] == expected["saliency"]
    assert found["signed"] == {
        "attention": False,
        "gradient-x-input": True,
        "leave-one-out": False,
    }


def test_methods_that_come_later_join_those_that_are_there(tiny):
    one_by_one = [tiny.explain(given(WORDS[:5]), [name])["saliency"] for name in METHODS]
    together = opened().explain(given(WORDS[:5]), METHODS)["saliency"]
    assert {name: each[name] for name, each in zip(METHODS, one_by_one)} == together


def test_the_target_is_explained(tiny):
    scores = [
        tiny.explain(given(target=label), ["gradient-x-input"])["saliency"]["gradient-x-input"]
        for label in tiny.model.labels
    ]
    # Of two labels, one's evidence is the other's contrary.
    assert scores[0] == pytest.approx([-score for score in scores[1]], abs=1e-6)
    with pytest.raises(InputError, match="none of the model's labels"):
        tiny.explain(given(target="no label"))


def test_a_string_is_split_by_the_reader_and_words_are_not(tiny):
    assert tiny.explain(GivenText(text="a  dull film"))["tokens"] == ["a", "dull", "film"]
    assert tiny.explain(given(["a dull", "film"]))["tokens"] == ["a dull", "film"]


def test_a_model_of_tokens_takes_what_is_between_spaces():
    tokens = [reader().text_to_instance(tokens=["a", "film"], label=label) for label in ("0", "1")]
    for instance in tokens:
        reader().apply_token_indexers(instance)
    made = model(vocab=Vocabulary.from_instances(tokens))
    found = OpenModel("tokens", made, reader(), ["attention"])
    assert found.about()["reads_words"]
    assert found.explain(GivenText(text="not-a  film."))["tokens"] == ["not-a", "film."]


def test_the_words_that_methods_name_are_really_taken_out(tiny):
    for by in ("signed", "size"):
        found = tiny.named(given(), METHODS, 3, by)
        target = tiny.model.labels.index(found["target"])
        scores = tiny.explain(given(), METHODS)["saliency"]
        for name, of in found["methods"].items():
            size = [abs(score) if by == "size" else score for score in scores[name]]
            assert (
                of["positions"]
                == sorted(range(len(WORDS)), key=lambda position: -size[position])[:3]
            )
            left = [word for position, word in enumerate(WORDS) if position not in of["positions"]]
            kept = [word for position, word in enumerate(WORDS) if position in of["positions"]]
            for words, output in ((left, of["without"]), (kept, of["only"])):
                really = tiny.explain(given(words))
                assert output["label"] == really["label"]
                assert output["probability"] == pytest.approx(really["probs"][target], abs=1e-5)


def test_weights_of_a_person_replace_the_attention(tiny):
    weights = [float(position) for position in range(len(WORDS))]
    found = tiny.weights(given(), weights)
    shares = [weight / sum(weights) for weight in weights]
    assert found["weights"] == pytest.approx(shares)
    assert found["probs"] == with_weights(tiny.model, WORDS, shares)
    before = tiny.explain(given())
    moved = sum(abs(a - b) for a, b in zip(found["probs"], before["probs"], strict=True)) / 2
    assert found["tvd"] == pytest.approx(moved, abs=1e-5)
    assert 0 < found["jsd"] < math.log(2)
    own = tiny.weights(given(), before["attention"])
    assert own["tvd"] == pytest.approx(0, abs=1e-5) and not own["flip"]


@pytest.mark.parametrize(
    "weights, sentence",
    [
        ([1.0], "there are 1 weights, but 9 words"),
        ([0.0] * 9, "not all 0"),
        ([-1.0] * 9, "from 0 on"),
        ([math.nan] * 9, "from 0 on"),
        ([math.inf] * 9, "from 0 on"),
    ],
)
def test_weights_that_are_none_are_rejected(tiny, weights, sentence):
    with pytest.raises(InputError, match=sentence):
        tiny.weights(given(), weights)


def test_other_weights_give_the_same_output(tiny):
    found = tiny.other_weights(given())
    before = tiny.explain(given())
    assert found["found"] and found["tvd"] <= found["epsilon"] and found["jsd"] > 0.1
    assert sum(found["weights"]) == pytest.approx(1)
    assert found["probs"] == with_weights(tiny.model, WORDS, found["weights"])
    moved = sum(abs(a - b) for a, b in zip(found["probs"], before["probs"], strict=True)) / 2
    assert moved <= found["epsilon"] + 1e-5


def test_a_text_of_one_word_has_no_other_weights(tiny):
    found = tiny.other_weights(given(["fine"]))
    assert not found["found"] and found["weights"] == [1.0]


def test_pairs_are_explained_in_the_light_of_the_second_text():
    pairs = opened_pairs()
    passage, question, _ = PAIRS[0]
    one = pairs.explain(GivenText(text=passage, query=question), METHODS)
    assert one["query"] == question.split() and one["tokens"] == passage.split()
    other = pairs.explain(GivenText(text=passage, query="who ?"), METHODS)
    assert one["probs"] != other["probs"]
    found = pairs.weights(GivenText(text=passage, query=question), one["attention"])
    assert found["probs"] == pytest.approx(one["probs"], abs=1e-5)
    assert pairs.about()["pairs"]
    with pytest.raises(InputError, match="second text is empty"):
        pairs.explain(GivenText(text=passage))


def test_what_a_model_has_not_is_not_offered(tmp_path):
    folder = opened_folder(save_tiny_transformer(tmp_path / "bert"), None)
    about = folder.about()
    assert about["heads"] and not about["weights"] and not about["pairs"]
    with pytest.raises(InputError, match="hidden states"):
        folder.weights(given(), [1.0] * 9)
    assert "lime" in [each["name"] for each in about["methods"]]
    tiny = opened(methods=None).about()
    assert tiny["weights"] and not tiny["heads"]
    slow = [each["slow"] for each in tiny["methods"]]
    # The slow ones are the last, and not there before somebody wants them.
    assert slow == sorted(slow) and any(slow)
    assert not any(each["slow"] and each["shown"] for each in tiny["methods"])
    with pytest.raises(InputError, match="layers of self-attention"):
        opened().head_weights(given())


@pytest.mark.parametrize(
    "text, sentence",
    [
        (GivenText(text=" "), "the text is empty"),
        (GivenText(words=()), "the text is empty"),
        (GivenText(text="a " * 2000), f"2,000 words, but this page takes up to {MOST_WORDS:,}"),
        (given(["a"] * 2000), "2,000 words"),
    ],
)
def test_texts_that_cannot_be_explained(tiny, text, sentence):
    with pytest.raises(InputError, match=sentence):
        tiny.explain(text)


def test_a_method_that_is_not_there(tiny):
    with pytest.raises(InputError, match="'lime' is none of the methods of tiny"):
        tiny.explain(given(), ["lime"])


def test_only_so_many_texts_are_remembered(monkeypatch):
    monkeypatch.setattr(open_model, "REMEMBERED", 2)
    tiny = opened()
    for words in (["a"], ["b"], ["a"], ["c"]):
        tiny.explain(given(words))
    assert [text.words for text in tiny._texts] == [("a",), ("c",)]


def test_warming_up_leaves_nothing():
    for made in (opened(), opened_pairs()):
        made.warm_up()
        assert not made._texts
