"""The preset `question` of the planted corpus, recomputed from its tokens by its rule."""

from collections import Counter

import pytest

from attention_explain.data.planted.corpus import PlantedCorpus
from attention_explain.data.planted.reader import PlantedReader
from attention_explain.data.planted.text import (
    DOMAINS,
    INTENSIFIERS,
    JOINERS,
    NEGATORS,
    OPINIONS,
)

ASPECTS = {aspect for domain in DOMAINS for aspect in domain.aspects}
WORDS = OPINIONS[0] + OPINIONS[1]
CORPORA = {
    "preset": {},
    "four": {"causes": 2, "contrary": 2, "aspects": 5, "min_tokens": 30, "max_tokens": 40},
    "negated": {"negation": 0.5, "min_tokens": 14},
    "never unanimous": {"unanimous": 0},
}


def sentences_of(name, split="train"):
    sizes = {"train": 300, "dev": 100, "test": 100}
    return PlantedCorpus("question", CORPORA[name], sizes).split(split)


def said_of(tokens, aspect):
    """The positions of the opinion on an aspect: the opinion word of its clause, and its negator."""
    ends = [-1, *(position for position, token in enumerate(tokens) if token in (".", *JOINERS))]
    at = tokens.index(aspect)
    start = max(end for end in ends if end < at)
    stop = min(end for end in ends if end > at)
    (word,) = [position for position in range(start + 1, stop) if tokens[position] in WORDS]
    before = word - 1
    if tokens[before] in INTENSIFIERS:
        before -= 1
    return (before, word) if tokens[before] in NEGATORS else (word,)


@pytest.mark.parametrize("name", CORPORA)
def test_the_label_is_what_is_said_of_the_aspect_that_is_asked_for(name):
    for sentence in sentences_of(name):
        tokens = sentence.tokens
        (asked,) = [word for word in sentence.question if word in tokens and word in ASPECTS]
        assert tokens.count(asked) == 1
        positions = said_of(tokens, asked)
        good = (tokens[positions[-1]] in OPINIONS[1]) != (len(positions) == 2)
        assert sentence.label == str(int(good))
        causes = {tokens.index(asked), *positions}
        marked = {position for position, mark in enumerate(sentence.rationale) if mark}
        assert marked == causes
        opinions = {p for p, token in enumerate(tokens) if token in (*WORDS, *NEGATORS)}
        others = {position for position, mark in enumerate(sentence.distractor) if mark}
        assert others == opinions - causes
        assert not any(sentence.contrary)
        assert not set(sentence.question) & set(WORDS)


def good_and_bad(sentence):
    said = Counter(token in OPINIONS[1] for token in sentence.tokens if token in WORDS)
    return said[True], said[False]


@pytest.mark.parametrize("name", ["preset", "four"])
@pytest.mark.parametrize("split", ["dev", "test"])
def test_without_the_question_nothing_says_which_opinion_counts(name, split):
    for sentence in sentences_of(name, split):
        good, bad = good_and_bad(sentence)
        assert good == bad


@pytest.mark.parametrize("name, opinions", [("preset", 2), ("four", 4), ("never unanimous", 2)])
def test_in_a_share_of_the_training_texts_all_opinions_agree(name, opinions):
    said = Counter((s.label, *good_and_bad(s)) for s in sentences_of(name))
    # 0.3 of 150 texts of each label.
    agree = 0 if name == "never unanimous" else 45
    half = opinions // 2
    expected = {("1", opinions, 0): agree, ("0", 0, opinions): agree}
    expected.update({("1", half, half): 150 - agree, ("0", half, half): 150 - agree})
    assert said == Counter(expected)


def test_opinions_cannot_be_unanimous_where_no_question_is_asked():
    with pytest.raises(ValueError, match="unanimous is 0.5, but .* contrary: 0"):
        PlantedCorpus("easy", {"unanimous": 0.5})


def test_asked_aspects_go_with_either_label():
    labels = Counter()
    for sentence in PlantedCorpus("question", sizes={"train": 2000}).split("train"):
        labels.update((word, sentence.label) for word in sentence.question)
    counts = Counter()
    for (word, _), count in labels.items():
        counts[word] += count
    for word, count in counts.items():
        # Four standard deviations of a fair coin.
        assert abs(labels[word, "1"] - count / 2) <= 4 * (count / 4) ** 0.5


def test_instances_are_pairs():
    (first, *_) = PlantedReader("question", sizes={"dev": 4}).read("dev")
    sentence = PlantedCorpus("question", sizes={"dev": 4}).split("dev")[0]
    assert [token.text for token in first["query"].tokens] == list(sentence.question)
    assert first["metadata"].metadata["query"] == list(sentence.question)
    assert "query" not in next(iter(PlantedReader(sizes={"dev": 4}).read("dev"))).fields


@pytest.mark.parametrize(
    "overrides", [{"contrary": 0}, {"causes": 2}, {"conjunction": True, "contrary": 0}]
)
def test_opinions_that_would_give_the_answer_away_are_rejected(overrides):
    with pytest.raises(ValueError, match="as many good opinions as bad ones"):
        PlantedCorpus("question", overrides)
