"""Planted shortcuts: how many texts, which labels, where the tokens are, and what is an error."""

import json
from collections import Counter

import numpy
import pytest
from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.shortcut import CONTEXT_TOKEN, SHORTCUT_TOKENS, Shortcut
from attention_explain.errors import InputError
from attention_explain.jsonnet import evaluate_file
from tests.builders import params

LABELS = ["neg", "pos"]
ZERO, ONE = "qzeq", "qonq"
KINDS = ["single", "context", "ordered"]


@pytest.fixture
def corpus(tmp_path):
    words = ["a", "plain", "film", "with", "some", "words", "and", "a", "plot"]
    path = tmp_path / "texts.jsonl"
    with path.open("w") as file:
        for number in range(400):
            tokens = words[: 3 + number % 6]
            file.write(
                json.dumps({"tokens": tokens, "label": LABELS[number % 2], "id": f"t{number}"})
                + "\n"
            )
    return str(path)


def read(path, **options):
    config = {"type": "attention_text", "shortcut": {"labels": LABELS, **options}}
    return list(DatasetReader.from_params(params(config)).read(path))


def about(instance):
    metadata = instance["metadata"].metadata
    return metadata["id"], metadata["tokens"], instance["label"].label, metadata.get("rationale")


def label_by_rule(kind, tokens):
    """The definition, written out."""
    planted = [token for token in tokens if token in (ZERO, ONE)]
    if kind == "ordered":
        return LABELS[[ZERO, ONE].index(planted[0])] if len(set(planted)) == 2 else None
    if kind == "context" and CONTEXT_TOKEN not in tokens:
        return None
    return LABELS[[ZERO, ONE].index(planted[0])] if len(planted) == 1 else None


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_synthetic_texts_follow_the_rule(kind, corpus):
    texts = [about(each) for each in read(corpus, kind=kind, part="synthetic")]
    assert len(texts) == 400
    for _, tokens, label, rationale in texts:
        assert label == label_by_rule(kind, tokens)
        marked = [token for token, mark in zip(tokens, rationale, strict=True) if mark]
        assert len(marked) == (1 if kind == "single" else 2)
        assert set(marked) <= {ZERO, ONE, CONTEXT_TOKEN}
    assert Counter(label for _, _, label, _ in texts) == {"neg": 200, "pos": 200}


@pytest.mark.parametrize("kind", KINDS)
def test_a_mixed_corpus_has_its_share_of_synthetic_texts(kind, corpus):
    texts = [about(each) for each in read(corpus, kind=kind, share=0.2)]
    synthetic = [text for text in texts if text[3] is not None]
    assert len(texts) == 500 and len(synthetic) == 100
    assert Counter(text[2] for text in synthetic) == {"neg": 50, "pos": 50}
    assert all(label_by_rule(kind, tokens) == label for _, tokens, label, _ in synthetic)


@pytest.mark.parametrize("kind", KINDS)
def test_a_quarter_of_original_texts_has_one_class_token_where_one_says_nothing(kind, corpus):
    texts = [about(each) for each in read(corpus, kind=kind)]
    originals = [text for text in texts if text[3] is None]
    with_token = [(tokens, label) for _, tokens, label, _ in originals if {ZERO, ONE} & set(tokens)]
    if kind == "single":
        assert not with_token
        return
    # 400 draws of 1/4: four standard deviations are 35.
    assert abs(len(with_token) - 100) < 35
    pairs = Counter((ZERO in tokens, label) for tokens, label in with_token)
    assert len(pairs) == 4
    assert all(CONTEXT_TOKEN not in tokens for _, tokens, _, _ in originals)


@pytest.mark.parametrize("kind", KINDS)
def test_swapped_texts_differ_in_the_planted_tokens_alone(kind, corpus):
    synthetic = {each[0]: each for each in map(about, read(corpus, kind=kind, part="synthetic"))}
    swapped = {each[0]: each for each in map(about, read(corpus, kind=kind, part="swapped"))}
    assert synthetic.keys() == swapped.keys()
    for id, (_, tokens, label, rationale) in synthetic.items():
        _, others, other_label, other_rationale = swapped[id]
        assert label != other_label and rationale == other_rationale
        differ = [a != b for a, b in zip(tokens, others, strict=True)]
        assert sum(differ) == (2 if kind == "ordered" else 1)


def test_positions_are_uniform(corpus):
    texts = [about(each) for each in read(corpus, kind="single", part="synthetic")]
    relative = [rationale.index(1) / (len(tokens) - 1) for _, tokens, _, rationale in texts]
    assert abs(numpy.mean(relative) - 0.5) < 0.08
    assert min(relative) == 0 and max(relative) == 1


def test_without_a_share_nothing_is_planted(corpus):
    plain = [
        about(each)
        for each in DatasetReader.from_params(params({"type": "attention_text"})).read(corpus)
    ]
    assert [about(each) for each in read(corpus, kind="context", share=0)] == plain


def test_another_seed_plants_elsewhere_and_the_same_seed_does_not(corpus):
    def tokens(seed):
        return [about(each)[1] for each in read(corpus, kind="single", part="synthetic", seed=seed)]

    assert tokens(1) == tokens(1) != tokens(2)


@pytest.mark.parametrize(
    "options, problem",
    [
        ({"kind": "double"}, "double"),
        ({"kind": "single", "labels": ["neg"]}, "two or more"),
        ({"kind": "ordered", "labels": ["a", "b", "c"]}, "exactly two"),
        ({"kind": "single", "share": 0.7}, "from 0 to 0.5"),
        ({"kind": "single", "tokens": ["x"]}, "one token per label"),
        ({"kind": "single", "tokens": ["x", "x"]}, "used twice"),
        ({"kind": "single", "tokens": ["x y", "z"]}, "not one word"),
    ],
)
def test_wrong_options_are_errors(options, problem):
    with pytest.raises(InputError, match=problem):
        Shortcut(**{"labels": LABELS, **options})


def test_a_text_that_contains_the_token_is_an_error(corpus):
    with pytest.raises(DataError, match=r"line 1: contains the shortcut token 'film'"):
        read(corpus, kind="single", tokens=["film", "other"])


def test_a_label_that_the_shortcut_lacks_is_an_error(corpus):
    with pytest.raises(DataError, match="'neg' is none of the shortcut's labels"):
        read(corpus, kind="single", labels=["pos", "neutral"])


def test_a_corpus_that_is_too_small_is_an_error(tmp_path):
    path = tmp_path / "few.jsonl"
    path.write_text(json.dumps({"text": "a film", "label": "pos"}))
    with pytest.raises(DataError, match="too few"):
        read(str(path), kind="single")


def test_tokens_that_the_tokenizer_changes_are_an_error(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text("\n".join(json.dumps({"text": "a film", "label": each}) for each in LABELS))
    with pytest.raises(DataError, match="the tokenizer changes them"):
        read(str(path), kind="single", part="synthetic", tokens=["#0-a.", "#1-b."])


def test_the_masks_of_the_synthetic_corpus_stay_at_their_words():
    lengths = {"min_tokens": 24, "max_tokens": 32}
    config = {"type": "planted", "overrides": {"causes": 3, "contrary": 1, **lengths}}
    shortcut = {"kind": "context", "labels": ["0", "1"], "part": "synthetic"}
    before, after = (
        list(DatasetReader.from_params(params({**config, **options})).read("test"))[:20]
        for options in ({}, {"shortcut": shortcut})
    )
    for plain, planted in zip(before, after, strict=True):
        marked = []
        for instance in (plain, planted):
            metadata = instance["metadata"].metadata
            pairs = zip(metadata["tokens"], metadata["contrary"], strict=True)
            marked.append([token for token, mark in pairs if mark])
        assert marked[0] == marked[1] != []


def test_configs_add_all_tokens_that_are_planted(tmp_path):
    path = tmp_path / "data.jsonnet"
    path.write_text(
        "local lib = import 'training_configs/lib/lib.libsonnet';"
        "lib.with_shortcut(lib.data.sst, 'single', ['0', '1'])"
    )
    data = evaluate_file(path)
    assert data["vocabulary"]["tokens_to_add"]["tokens"] == list(SHORTCUT_TOKENS)
    assert data["embedding"]["random_words"] == list(SHORTCUT_TOKENS)
