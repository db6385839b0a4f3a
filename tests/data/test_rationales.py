"""
The corpora of human rationales by the readers' own options, as the configs read them. Skipped where
the corpora are not.
"""

from pathlib import Path

import pytest

MARKED = {"fields": {"rationale": "rationales"}, "lowercase": True}


@pytest.fixture
def corpora(published) -> Path:
    if not (published / "rationales").is_dir():
        pytest.skip("the corpora of human rationales are not here")
    return published / "rationales"


@pytest.mark.parametrize(
    "corpus, split, texts, marked",
    [
        ("movies", "dev", 200, 200),
        ("movies", "test", 199, 199),
        ("hatexplain", "dev", 1922, 1141),
        ("hatexplain", "test", 1924, 1142),
    ],
)
def test_all_texts_are_read_and_annotators_are_kept_apart(
    corpora, read, corpus, split, texts, marked
):
    found = read(str(corpora / corpus / f"{split}.jsonl.gz"), **MARKED)
    rationales = [text["metadata"].metadata.get("rationale") for text in found]
    assert len(found) == texts and sum(each is not None for each in rationales) == marked
    numbers = {len(each) for each in rationales if each is not None}
    assert numbers == ({1} if corpus == "movies" else {2, 3})


def test_sentences_that_several_have_marked_are_held_out_of_training(published, corpora, read):
    sentences = str(corpora / "sst_annotators" / "all.jsonl.gz")
    options = {
        **MARKED,
        "tokenizer": "english",
        "digit_word": "qqq",
        "labels": {"0": "0", "1": "1", "negative": "0", "positive": "1"},
        "split_tokens": True,
    }
    found = read(sentences, **options)
    assert len(found) == 263
    assert {len(text["metadata"]["rationale"]) for text in found} == {6}
    train = str(published / "sst" / "jw_preprocessed" / "train.jsonl.gz")
    whole, held = read(train, **options), read(train, **options, held_out=sentences)
    # One of the 179 that are said to be of SST's training set is not to be found there; one that
    # is said to be of no split is.
    assert len(whole) - len(held) == 179
