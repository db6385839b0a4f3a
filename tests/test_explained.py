"""`explain(...).verdict()`: the output without the words that a method names, and with them alone."""

import numpy
import pytest

from attention_explain.api import explain
from attention_explain.errors import InputError
from attention_explain.explained import ModelOutput, TextVerdict, TopWords
from attention_explain.faithfulness.permutations import Sampling, word_effects
from attention_explain.faithfulness.removal import Delete
from attention_explain.passes import random_ranks
from tests.builders import TEXTS, model, reader
from tests.heatmaps.elements import Elements

METHODS = ["attention", "gradient-x-input", "random"]
TEXT = max(TEXTS, key=lambda text: len(text.split())).split()


@pytest.fixture(scope="module")
def classifier():
    return model()


def explained(classifier, tokens, methods=METHODS, **options):
    return explain(classifier, tokens, methods, dataset_reader=reader(), **options)


def really(classifier, tokens, target) -> ModelOutput:
    """What the model says of these words and no others."""
    found = explained(classifier, list(tokens), ["attention"])
    return ModelOutput(
        pytest.approx(found.probs[found.labels.index(target)], abs=1e-6), found.label
    )


@pytest.mark.parametrize("target", [None, "0", "1"])
def test_outputs_are_those_of_the_texts_that_are_left(classifier, target):
    text = explained(classifier, TEXT, target=target)
    found = text.verdict(2)
    shown = target or text.label
    assert found.target == shown and found.output == really(classifier, TEXT, shown)
    assert list(found.methods) == METHODS
    for name, named in found.methods.items():
        order = sorted(range(len(TEXT)), key=lambda position: -text.scores[name][position])
        assert named.words == [TEXT[position] for position in order[:2]]
        without = [word for position, word in enumerate(TEXT) if position not in order[:2]]
        only = [word for position, word in enumerate(TEXT) if position in order[:2]]
        assert named.without == really(classifier, without, shown)
        assert named.only == really(classifier, only, shown)


def test_chance_is_the_mean_over_orders_that_the_id_decides(classifier):
    text = explained(classifier, TEXT)
    expected = []
    for order in random_ranks(len(TEXT), 20, 0, text.id):
        left = [word for word, position in zip(TEXT, order, strict=True) if position >= 1]
        expected.append(really(classifier, left, text.label).probability.expected)
    assert text.verdict(1).random[0] == pytest.approx(numpy.mean(expected), abs=1e-6)


def test_one_word_in_five_is_named_and_at_least_one(classifier):
    for tokens, number in ((1, 1), (2, 1), (7, 1), (8, 2), (12, 2), (13, 3)):
        found = explained(classifier, (TEXT * 13)[:tokens], ["attention"]).verdict()
        assert found.top == len(found.methods["attention"].words) == number


def test_of_equal_scores_chance_takes_some_and_the_seed_decides(classifier):
    texts = [explained(classifier, list("abcdefgh"), seed=seed) for seed in (1, 1, 2, 3, 4)]
    for text in texts:
        text.scores = {"attention": [0.125] * 8}
    named = [text.verdict(3).methods["attention"].words for text in texts]
    assert named[0] == named[1] and len({tuple(words) for words in named}) > 1


def test_a_text_of_one_word(classifier):
    found = explained(classifier, ["fine"]).verdict()
    assert found.random is None
    for named in found.methods.values():
        assert named.words == ["fine"] and named.only == found.output
        # No word at all: the decoder's own inclination.
        bias = classifier.decoder.bias.detach().double().softmax(dim=-1).tolist()
        position = classifier.labels.index(found.target)
        assert named.without.probability == pytest.approx(bias[position], abs=1e-6)
    assert "all of the text (one word)" in str(found) and "nothing to choose from" in str(found)


def test_a_method_without_scores_is_named_with_the_reason(classifier):
    text = explained(classifier, TEXT)
    text.scores["attention"], text.skipped["attention"] = None, "too long"
    assert "attention: no scores, too long" in str(text.verdict())
    assert "attention" not in text.verdict().methods


@pytest.mark.parametrize("words", [0, -1, 1000])
def test_more_words_than_there_are(classifier, words):
    with pytest.raises(InputError, match=f"words is {words}, but must be from 1 to"):
        explained(classifier, TEXT).verdict(words)


def test_the_model_is_left_as_it_was(classifier):
    classifier.train()
    try:
        first, second = (explained(classifier, TEXT).verdict() for _ in range(2))
        assert first == second and classifier.training
    finally:
        classifier.eval()


NASTY = "<script>alert('&')</script>"
FOUND = TextVerdict(
    target="good",
    tokens=9,
    top=2,
    output=ModelOutput(0.9, "good"),
    methods={
        "attention": TopWords(
            ["the", "\x1b[2J"], ModelOutput(0.85, "good"), ModelOutput(0.6, "good")
        ),
        "lrp": TopWords([NASTY, "ok"], ModelOutput(0.25, "bad"), ModelOutput(0.95, "good")),
    },
    missing={},
    random=(0.8, 0.5),
)


def test_it_prints_as_a_few_lines():
    lines = str(FOUND).splitlines()
    assert lines[0] == "class good: 0.900 with all of the text (9 words)"
    assert [" ".join(line.split()) for line in lines[1:]] == [
        "method its top 2 words without only these",
        "attention the �[2J 0.850 0.600",
        f"lrp {NASTY} ok 0.250, predicted bad 0.950",
        "(random) as many, on average 0.800 0.500",
        "the probability falls most without the words of lrp",
    ]


def test_words_that_do_no_more_than_chance_are_not_praised():
    named = TopWords(["a", "b"], ModelOutput(0.8, "good"), ModelOutput(0.6, "good"))
    found = TextVerdict("good", 9, 2, ModelOutput(0.9, "good"), {"lrp": named}, {}, (0.8, 0.5))
    assert str(found).endswith(
        "without the words of any method, the probability falls no more than without random words"
    )


def test_a_notebook_gets_a_table_of_escaped_words():
    tree = Elements(FOUND._repr_html_())
    assert "script" not in tree.tags
    cells = [text for _, text in tree.all("td")]
    assert len(cells) == 9 and cells[3:6] == [f"{NASTY} ok", "0.250, predicted bad", "0.950"]
    assert tree.all("p")[0][1].startswith("class good: 0.900")


def test_the_relevance_of_words_is_that_of_the_permutations_and_has_a_mark(classifier):
    text = explained(classifier, TEXT).with_relevance(8)
    (effects,) = word_effects(
        classifier,
        [text.instance],
        Delete(),
        Sampling(8, "probability", {}, 0),
        [text.labels.index(text.label)],
    )
    relevance = text.relevance
    assert relevance.values == pytest.approx(effects.relevance.tolist())
    assert relevance.reliability == effects.reliability and relevance.permutations == 8
    assert min(relevance.errors) >= 0 and max(relevance.errors) > 0
    # The verdict takes the relevance that the text has.
    top = TEXT[int(numpy.argmax(relevance.values))]
    line = text.verdict(permutations=0).relevance
    assert line.startswith(f"the output moves most with {top} {max(relevance.values):.3f} ± ")
    assert line.endswith(f"this ranking is {relevance.mark}") and line in repr(text)
    assert str(text.verdict()).endswith(line)


def test_without_permutations_nothing_is_said_about_relevance(classifier):
    text = explained(classifier, TEXT)
    assert text.verdict(permutations=0).relevance == "" and "moves most" not in repr(text)
    with pytest.raises(InputError, match="permutations is 3, but must be 4 or more"):
        text.verdict(permutations=3)


def test_a_short_text_has_exact_relevance(classifier):
    assert explained(classifier, TEXT[:3]).verdict().relevance.endswith("this ranking is exact")
