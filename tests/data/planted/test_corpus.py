"""
What the planted corpus promises, recomputed from the tokens by the published rule: opinion words,
reversed by a negator before them, vote; or, in a conjunction, must all be good.
"""

import json
import math
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from attention_explain.data.planted.__main__ import export, main
from attention_explain.data.planted.corpus import (
    DEFAULT_SIZES,
    PRESETS,
    PlantedCorpus,
)
from attention_explain.data.planted.settings import KNOBS
from attention_explain.data.planted.text import (
    DOMAINS,
    INTENSIFIERS,
    JOINERS,
    JUDGED_CLAUSES,
    NEGATORS,
    OPENERS,
    OPINIONS,
    SHARED_CLAUSES,
    SHARED_WORDS,
    UNNEGATED_CLAUSES,
    WEEKDAY_CLAUSES,
    WEEKDAYS,
)

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "planted-corpus.md"
SPLITS = ("train", "dev", "test")
SIZES = {"train": 600, "dev": 201, "test": 200}

CORPORA = {
    # Whose rule is another: see test_question.
    **{preset: (preset, {}) for preset in PRESETS if preset != "question"},
    "majority": ("easy", {"causes": 3, "contrary": 2, "min_tokens": 40, "max_tokens": 60}),
    "majority-negated": (
        "negation",
        {"causes": 2, "contrary": 1, "negation": 0.3, "min_tokens": 24, "max_tokens": 40},
    ),
    "conjunction-negated": ("conjunction", {"negation": 0.5}),
    "far": ("negation", {"min_distance_from_end": 20, "min_tokens": 30, "max_tokens": 50}),
    "far-shortcut": (
        "shortcut",
        {"min_distance_from_end": 9, "min_tokens": 16, "max_tokens": 16, "negation": 1.0},
    ),
    "tight": ("easy", {"min_tokens": 5, "max_tokens": 9}),
    "few-words": ("easy", {"opinion_words": 3}),
}


@cache
def corpus_splits(name):
    preset, overrides = CORPORA[name]
    corpus = PlantedCorpus(preset, overrides, SIZES)
    return {split: corpus.split(split) for split in SPLITS}


def sentences_of(name):
    return [sentence for split in corpus_splits(name).values() for sentence in split]


every_corpus = pytest.mark.parametrize("name", CORPORA)


def opinions_in(tokens):
    """The opinions by the rule: (what it says in the end, the positions of its tokens)."""
    found = []
    for position, token in enumerate(tokens):
        if token not in OPINIONS[0] + OPINIONS[1]:
            continue
        good = token in OPINIONS[1]
        before = position - 1
        if before >= 0 and tokens[before] in INTENSIFIERS:
            before -= 1
        if before >= 0 and tokens[before] in NEGATORS:
            found.append((not good, (before, position)))
        else:
            found.append((good, (position,)))
    return found


def label_of(tokens, conjunction):
    """The label by the rule; None where the opinions decide nothing."""
    says = [good for good, _ in opinions_in(tokens)]
    if conjunction:
        return None if len(says) != 2 else "1" if all(says) else "0"
    difference = 2 * sum(says) - len(says)
    return None if difference == 0 else "1" if difference > 0 else "0"


def is_conjunction(name):
    return name.startswith("conjunction")


def without(tokens, positions):
    return [token for position, token in enumerate(tokens) if position not in positions]


def positions_of(mask):
    return {position for position, marked in enumerate(mask) if marked}


def reversed_opinion(tokens, positions):
    """The tokens with the opinion word at the end of `positions` changed to the other polarity."""
    word = tokens[positions[-1]]
    other = OPINIONS[0][0] if word in OPINIONS[1] else OPINIONS[1][0]
    return [*tokens[: positions[-1]], other, *tokens[positions[-1] + 1 :]]


# Causes


@every_corpus
def test_label_and_masks_follow_from_the_tokens_by_the_rule(name):
    for sentence in sentences_of(name):
        assert label_of(sentence.tokens, is_conjunction(name)) == sentence.label
        masks = {True: set(), False: set()}
        for good, positions in opinions_in(sentence.tokens):
            masks[good == (sentence.label == "1")].update(positions)
        assert positions_of(sentence.rationale) == masks[True]
        assert positions_of(sentence.contrary) == masks[False]
        weekdays = {i for i, t in enumerate(sentence.tokens) if t in WEEKDAYS[0] + WEEKDAYS[1]}
        assert positions_of(sentence.distractor) == weekdays
        assert len(weekdays) == ("shortcut" in name)


@every_corpus
def test_number_of_opinions_is_as_set(name):
    preset, overrides = CORPORA[name]
    settings = PlantedCorpus(preset, overrides).settings
    for sentence in sentences_of(name):
        for_label = [good == (sentence.label == "1") for good, _ in opinions_in(sentence.tokens)]
        if settings.conjunction:
            assert len(for_label) == 2
        else:
            assert sum(for_label) == settings.causes
            assert len(for_label) == settings.causes + settings.contrary


@every_corpus
def test_every_negator_is_part_of_an_opinion(name):
    for sentence in sentences_of(name):
        marked = positions_of(sentence.rationale) | positions_of(sentence.contrary)
        negators = {i for i, token in enumerate(sentence.tokens) if token in NEGATORS}
        assert negators <= marked


@every_corpus
def test_no_token_outside_the_opinions_matters(name):
    for sentence in sentences_of(name)[::5]:
        opinions = positions_of(sentence.rationale) | positions_of(sentence.contrary)
        for position in set(range(len(sentence.tokens))) - opinions:
            shorter = without(sentence.tokens, {position})
            assert label_of(shorter, is_conjunction(name)) == sentence.label
        others = set(range(len(sentence.tokens))) - opinions
        assert label_of(without(sentence.tokens, others), is_conjunction(name)) == sentence.label


@every_corpus
def test_rationale_is_sufficient(name):
    for sentence in sentences_of(name):
        rest = set(range(len(sentence.tokens))) - positions_of(sentence.rationale)
        alone = without(sentence.tokens, rest)
        says = {good for good, _ in opinions_in(alone)}
        assert says == {sentence.label == "1"}


@every_corpus
def test_reversing_the_rationale_reverses_the_label_and_deleting_it_loses_it(name):
    for sentence in sentences_of(name):
        tokens = list(sentence.tokens)
        deleted = without(tokens, positions_of(sentence.rationale))
        assert label_of(deleted, is_conjunction(name)) != sentence.label
        for good, positions in opinions_in(tokens):
            if good == (sentence.label == "1"):
                tokens = reversed_opinion(tokens, positions)
        assert label_of(tokens, is_conjunction(name)) not in (None, sentence.label)


def test_in_a_good_conjunction_each_opinion_is_necessary_and_in_a_bad_one_sufficient():
    for sentence in sentences_of("conjunction"):
        opinions = opinions_in(sentence.tokens)
        for good, positions in opinions:
            turned = label_of(reversed_opinion(sentence.tokens, positions), conjunction=True)
            if sentence.label == "1":
                assert turned == "0"
            elif len(positions_of(sentence.rationale)) == 2:
                assert turned == "0", "the other bad aspect alone suffices"
            else:
                assert turned == ("0" if good else "1")


def test_removing_a_single_negator_reverses_the_label():
    negated = 0
    for sentence in sentences_of("negation"):
        negators = [i for i, token in enumerate(sentence.tokens) if token in NEGATORS]
        if negators:
            negated += 1
            assert label_of(without(sentence.tokens, set(negators)), False) != sentence.label
    assert negated > 100


# Balance and leaks


@every_corpus
@pytest.mark.parametrize("split", SPLITS)
def test_labels_are_balanced_and_sizes_exact(name, split):
    sentences = corpus_splits(name)[split]
    labels = Counter(sentence.label for sentence in sentences)
    assert len(sentences) == SIZES[split]
    assert set(labels) == {"0", "1"}
    assert abs(labels["0"] - labels["1"]) <= 1


@pytest.mark.parametrize("split", SPLITS)
def test_neither_surface_polarity_nor_negator_alone_predicts_the_label(split):
    cells = Counter()
    for sentence in corpus_splits("negation")[split]:
        ((_, positions),) = opinions_in(sentence.tokens)
        surface = sentence.tokens[positions[-1]] in OPINIONS[1]
        cells[surface, len(positions) == 2] += 1
        cells[sentence.label, "surface", surface] += 1
        cells[sentence.label, "negated", len(positions) == 2] += 1
    quarter = SIZES[split] / 4
    assert all(abs(cells[s, n] - quarter) <= 1 for s in (True, False) for n in (True, False))
    for kind in ("surface", "negated"):
        for value in (True, False):
            assert abs(cells["0", kind, value] - cells["1", kind, value]) <= 1


def test_negators_are_as_frequent_under_both_labels_however_many_opinions_there_are():
    counts = {"0": Counter(), "1": Counter()}
    for sentence in corpus_splits("majority-negated")["train"]:
        counts[sentence.label][sum(token in NEGATORS for token in sentence.tokens)] += 1
    assert counts["0"] == counts["1"]
    share = sum(n * count for n, count in counts["0"].items()) / (3 * sum(counts["0"].values()))
    assert share == pytest.approx(0.3, abs=0.005)


@pytest.mark.parametrize("split", SPLITS)
def test_bad_conjunctions_fail_in_three_ways_equally_often(split):
    bad_aspects = Counter(
        sum(not good for good, _ in opinions_in(sentence.tokens))
        for sentence in corpus_splits("conjunction")[split]
        if sentence.label == "0"
    )
    assert set(bad_aspects) == {1, 2}
    assert abs(bad_aspects[1] - 2 * bad_aspects[2]) <= 2


def label_deviations(sentences, counted):
    """For each frequent token: by how many standard errors its texts lean to label 1."""
    texts, good = Counter(), Counter()
    for sentence in sentences:
        for token in {t for t in sentence.tokens if counted(t)}:
            texts[token] += 1
            good[token] += sentence.label == "1"
    return {
        token: (good[token] - count / 2) / math.sqrt(count / 4)
        for token, count in texts.items()
        if 50 <= count < len(sentences)
    }


def is_neutral(token):
    return token not in OPINIONS[0] + OPINIONS[1]


@pytest.mark.parametrize("preset", ["easy", "negation", "conjunction"])
def test_no_token_but_opinion_words_predicts_the_label(preset):
    sentences = PlantedCorpus(preset, sizes={"train": 6000}, seed=3).split("train")
    deviations = label_deviations(sentences, is_neutral)
    assert len(deviations) > 250
    assert max(abs(deviation) for deviation in deviations.values()) < 4
    # Many small leaks would show in the spread, which is 1 for fair coins.
    spread = sum(deviation**2 for deviation in deviations.values()) / len(deviations)
    assert spread < 1.2


def test_no_single_opinion_word_or_negator_predicts_the_label_under_negation():
    sentences = PlantedCorpus("negation", sizes={"train": 6000}, seed=3).split("train")
    deviations = label_deviations(sentences, lambda token: not is_neutral(token))
    assert len(deviations) == 2 * PRESETS["negation"].opinion_words
    assert max(abs(deviation) for deviation in deviations.values()) < 4


def test_the_leak_test_sees_a_leak():
    sentences = PlantedCorpus("shortcut", sizes={"train": 1000}).split("train")
    deviations = label_deviations(sentences, is_neutral)
    assert max(deviations, key=lambda token: abs(deviations[token])) in WEEKDAYS[0] + WEEKDAYS[1]
    assert abs(deviations["monday"]) > 8


# Shortcut


def share_of_agreeing_weekdays(sentences):
    agreeing = 0
    for sentence in sentences:
        (weekday,) = [sentence.tokens[position] for position in positions_of(sentence.distractor)]
        agreeing += weekday in WEEKDAYS[int(sentence.label)]
    return agreeing / len(sentences)


def test_weekday_goes_with_the_label_in_train_only():
    shares = {
        split: share_of_agreeing_weekdays(sentences)
        for split, sentences in corpus_splits("shortcut").items()
    }
    assert shares["train"] == pytest.approx(0.95, abs=0.002)
    assert shares["dev"] == pytest.approx(0.5, abs=0.006)
    assert shares["test"] == 0.5


def test_strength_of_the_shortcut_can_be_set_for_each_side():
    corpus = PlantedCorpus("shortcut", {"shortcut": 0.8, "shortcut_heldout": 0.0}, SIZES)
    assert share_of_agreeing_weekdays(corpus.split("train")) == pytest.approx(0.8)
    assert share_of_agreeing_weekdays(corpus.split("test")) == 0


def test_weekday_is_never_in_the_rationale():
    for sentence in sentences_of("shortcut"):
        opinions = positions_of(sentence.rationale) | positions_of(sentence.contrary)
        assert not positions_of(sentence.distractor) & opinions


# Length and distance


@every_corpus
@pytest.mark.parametrize("split", SPLITS)
def test_lengths_are_uniform_between_the_bounds(name, split):
    preset, overrides = CORPORA[name]
    settings = PlantedCorpus(preset, overrides).settings
    lengths = Counter(len(sentence.tokens) for sentence in corpus_splits(name)[split])
    assert set(lengths) == set(range(settings.min_tokens, settings.max_tokens + 1))
    # Lengths are dealt to pairs of texts, and an odd split has half a pair.
    assert max(lengths.values()) - min(lengths.values()) <= 2 + SIZES[split] % 2


def test_a_small_split_has_the_shortest_and_the_longest_text():
    sentences = PlantedCorpus("easy", {"max_tokens": 200}, {"dev": 4}).split("dev")
    assert {len(sentence.tokens) for sentence in sentences} == {8, 200}


@pytest.mark.parametrize(("name", "distance"), [("far", 20), ("far-shortcut", 9)])
def test_opinions_stand_far_from_the_end(name, distance):
    following = [
        len(sentence.tokens) - 1 - max(positions_of(sentence.rationale))
        for sentence in sentences_of(name)
    ]
    assert min(following) >= distance


def test_opinions_stand_everywhere_if_no_distance_is_set():
    sentences = [s for s in sentences_of("easy") if len(s.tokens) >= 20]
    positions = [min(positions_of(s.rationale)) / len(s.tokens) for s in sentences]
    assert sum(position < 1 / 3 for position in positions) > len(positions) / 5
    assert sum(position > 2 / 3 for position in positions) > len(positions) / 5


@pytest.mark.parametrize(
    ("preset", "overrides"),
    [
        ("easy", {}),
        ("negation", {}),
        ("conjunction", {}),
        ("shortcut", {}),
        ("shortcut", {"min_distance_from_end": 8}),
        ("easy", {"min_distance_from_end": 2}),
        ("easy", {"min_distance_from_end": 13}),
        ("negation", {"causes": 3, "contrary": 2, "min_distance_from_end": 5}),
    ],
)
def test_texts_can_be_as_short_as_the_message_about_min_tokens_says(preset, overrides):
    with pytest.raises(ValueError, match="a text needs") as raised:
        PlantedCorpus(preset, {**overrides, "min_tokens": 1})
    shortest = int(re.search(r"needs (\d+) tokens", str(raised.value)).group(1))
    lengths = {"min_tokens": shortest, "max_tokens": shortest + 6}
    corpus = PlantedCorpus(preset, {**overrides, **lengths}, {"dev": 140})
    assert {len(sentence.tokens) for sentence in corpus.split("dev")} == set(
        range(shortest, shortest + 7)
    )


# Identity


@every_corpus
def test_texts_and_ids_are_unique_across_splits(name):
    sentences = sentences_of(name)
    assert len({sentence.tokens for sentence in sentences}) == len(sentences)
    assert len({sentence.id for sentence in sentences}) == len(sentences)


def test_splits_stay_disjoint_whatever_sizes_and_seeds():
    overrides = {"min_tokens": 5, "max_tokens": 5, "opinion_words": 5}
    train = PlantedCorpus("easy", overrides, {"train": 400}, seed=1).split("train")
    test = PlantedCorpus("easy", overrides, {"test": 200}, seed=2).split("test")
    assert not {s.tokens for s in train} & {s.tokens for s in test}


def test_a_split_does_not_depend_on_the_size_of_the_others():
    small, large = ({"train": size, "dev": 50} for size in (10, 100))
    assert PlantedCorpus("easy", sizes=small).split("dev") == PlantedCorpus(
        "easy", sizes=large
    ).split("dev")


def test_same_seed_same_text_other_seed_other_text():
    sizes = {"train": 100}
    first, again, other = (
        PlantedCorpus("negation", sizes=sizes, seed=seed).split("train") for seed in (1, 1, 2)
    )
    assert first == again
    assert not {s.tokens for s in first} & {s.tokens for s in other}


def test_ids_name_preset_and_split():
    assert corpus_splits("easy")["train"][17].id == "planted-easy-train-17"


# Words


def neutral_vocabulary():
    clauses = SHARED_CLAUSES + JUDGED_CLAUSES + UNNEGATED_CLAUSES + WEEKDAY_CLAUSES + JOINERS
    for openers in OPENERS.values():
        clauses += openers
    lists = list(SHARED_WORDS.values())
    for domain in DOMAINS:
        clauses += domain.clauses
        lists += [domain.aspects, *domain.words.values()]
    words = {word for clause in clauses for word in clause.split() if "{" not in word}
    return words.union(*lists)


def test_lexicons_are_large_and_disjoint_from_each_other_and_all_else():
    lists = [*OPINIONS, NEGATORS, INTENSIFIERS, *WEEKDAYS, tuple(neutral_vocabulary())]
    words = [word for one in lists for word in one]
    assert len(words) == len(set(words))
    assert all(len(lexicon) >= 25 for lexicon in OPINIONS)
    assert len(neutral_vocabulary()) > 400


def test_clauses_have_known_slots_and_all_lengths_that_fillers_need():
    for domain in DOMAINS:
        slots = set(SHARED_WORDS) | set(domain.words)
        clauses = domain.clauses + SHARED_CLAUSES
        assert set(re.findall(r"{(\w+)}", " ".join(clauses))) <= slots
        assert {len(clause.split()) for clause in clauses} == set(range(3, 11))
        assert len(set(clauses)) == len(clauses)
        assert "thing" in slots
    for length, openers in OPENERS.items():
        assert all(len(opener.split()) == length for opener in openers)


@every_corpus
def test_texts_read_as_lower_case_english(name):
    for sentence in sentences_of(name):
        assert sentence.text == sentence.text.lower()
        assert sentence.text.endswith(".")
        assert not re.search(r"\ba [aeiou]|\ban\b|[{}]| [.;]|  ", sentence.text)


# Errors


@pytest.mark.parametrize(
    ("overrides", "sentence"),
    [
        ({"min_tokens": 30}, "min_tokens (30) is larger than max_tokens (24)"),
        ({"min_tokens": 3}, "min_tokens is 3, but with these knobs a text needs 5 tokens"),
        ({"min_tokens": "ten"}, "min_tokens is 'ten', but must be a whole number"),
        ({"max_tokens": 12.5}, "max_tokens is 12.5, but must be a whole number"),
        ({"causes": True}, "causes is True, but must be a whole number"),
        ({"causes": 0}, "causes is 0, but must be between 1 and 14"),
        ({"contrary": 1}, "contrary is 1, but must be smaller than causes (1)"),
        ({"contrary": -1}, "contrary is -1, but must be between 0 and 14"),
        ({"negation": 1.5}, "negation is 1.5, but must be between 0 and 1"),
        ({"negation": None}, "negation is None, but must be a number"),
        ({"negation": math.nan}, "negation is nan, but must be a number"),
        ({"conjunction": 1}, "conjunction is 1, but must be true or false"),
        ({"conjunction": True, "causes": 2}, "causes and contrary cannot be set with it"),
        ({"shortcut": 2}, "shortcut is 2, but must be between 0 and 1"),
        ({"shortcut_heldout": -1}, "shortcut_heldout is -1, but must be between 0 and 1"),
        ({"min_distance_from_end": -1}, "min_distance_from_end is -1, but must be at least 0"),
        ({"opinion_words": 41}, "opinion_words is 41, but must be between 1 and 40"),
        ({"causes": 3, "opinion_words": 2}, "3 different opinions, but opinion_words is 2"),
        ({"colour": 1}, "'colour' is no knob of the planted corpus; the knobs are min_tokens, "),
    ],
)
def test_bad_knobs_are_rejected_in_one_sentence(overrides, sentence):
    with pytest.raises(ValueError) as raised:
        PlantedCorpus("easy", overrides)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match="one of easy, negation, conjunction, shortcut"):
        PlantedCorpus("hard")
    with pytest.raises(ValueError, match=r"'valid' is no split .* train, dev, test"):
        PlantedCorpus("easy").split("valid")
    with pytest.raises(ValueError, match="'valid' is no split"):
        PlantedCorpus("easy", sizes={"valid": 3})
    with pytest.raises(ValueError, match="the size of dev is 0, but must be 1 or more"):
        PlantedCorpus("easy", sizes={"dev": 0})


def test_more_texts_than_there_are_is_an_error_and_no_endless_search():
    overrides = {"min_tokens": 5, "max_tokens": 5, "opinion_words": 1}
    with pytest.raises(ValueError, match="different texts were found for test; ask for fewer"):
        PlantedCorpus("easy", overrides, {"test": 5000}).split("test")


# Export


def test_command_writes_what_the_corpus_holds_in_any_process(tmp_path):
    command = [sys.executable, "-m", "attention_explain.data.planted", "shortcut"]
    options = ["--sizes", "40", "10", "12", "--seed", "5", "--set", "negation=0", "max_tokens=20"]
    run = subprocess.run(
        [*command, "-o", tmp_path / "there", *options],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "7"},
    )
    assert (run.returncode, run.stderr) == (0, "")
    sizes = {"train": 40, "dev": 10, "test": 12}
    corpus = PlantedCorpus("shortcut", {"negation": 0, "max_tokens": 20}, sizes, seed=5)
    export(corpus, tmp_path / "here")
    for split in SPLITS:
        there = (tmp_path / "there" / f"{split}.jsonl").read_bytes()
        assert there == (tmp_path / "here" / f"{split}.jsonl").read_bytes()
        rows = [json.loads(line) for line in there.splitlines()]
        sentences = corpus.split(split)
        assert [row["id"] for row in rows] == [sentence.id for sentence in sentences]
        for field in ("tokens", "rationale", "contrary", "distractor"):
            assert [tuple(row[field]) for row in rows] == [getattr(s, field) for s in sentences]
        assert [row["label"] for row in rows] == [sentence.label for sentence in sentences]
    assert len(list((tmp_path / "there").iterdir())) == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["hard"], "preset is 'hard', but must be one of easy"),
        (["easy", "--set", "min_tokens"], "--set takes KNOB=VALUE, but got 'min_tokens'"),
        (["easy", "--set", "min_tokens=x"], "min_tokens is 'x', but must be a whole number"),
        (["easy", "--sizes", "0", "1", "1"], "the size of train is 0"),
    ],
)
def test_command_ends_in_one_sentence_and_exit_code_2(arguments, sentence, tmp_path, capsys):
    assert main([*arguments, "-o", str(tmp_path / "out")]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"error: {sentence}")
    assert message.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_command_says_that_the_folder_cannot_be_made(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["easy", "-o", str(tmp_path / "file" / "sub"), "--sizes", "2", "2", "2"]) == 2
    assert "file" in capsys.readouterr().err


# Documentation


def test_all_knobs_and_presets_are_documented():
    page = PAGE.read_text(encoding="utf-8")
    for name in (*KNOBS, *PRESETS, *DEFAULT_SIZES):
        assert f"`{name}`" in page


def test_documented_examples_are_texts_of_the_corpus():
    page = PAGE.read_text(encoding="utf-8")
    examples = re.findall(r"\| planted-(\w+)-train-(\d+) \| ([01]) \| (.+) \|", page)
    assert Counter(preset for preset, *_ in examples) == dict.fromkeys(PRESETS, 1)
    train = {preset: PlantedCorpus(preset).split("train") for preset in PRESETS}
    for preset, number, label, text in examples:
        sentence = train[preset][int(number)]
        asked = f" ({sentence.as_json()['question']})" if sentence.question else ""
        assert (sentence.label, sentence.text + asked) == (label, re.sub("[*_~]", "", text))
        marked = [t for t, m in zip(sentence.tokens, sentence.rationale, strict=True) if m]
        assert re.findall(r"\*\*(\w+)\*\*", text) == marked
