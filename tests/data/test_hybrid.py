"""Hybrid documents: which texts they are made of, and the class of each word."""

import json

import pytest
from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.errors import InputError
from tests.builders import params


def corpus(tmp_path, texts=40, labels=("neg", "pos")):
    path = tmp_path / "texts.jsonl"
    lines = [
        {"text": f"Word{n} of {labels[n % len(labels)]}", "label": labels[n % len(labels)]}
        for n in range(texts)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def read(path, **options):
    config = {"type": "attention_text", "lowercase": True, "hybrid": options}
    return list(DatasetReader.from_params(params(config)).read(path))


def test_every_word_has_the_class_of_its_text(tmp_path):
    documents = read(corpus(tmp_path), fragments=4)
    assert 0 < len(documents) <= 10
    seen = []
    for document in documents:
        metadata = document["metadata"].metadata
        tokens, classes = metadata["tokens"], metadata["fragments"]
        assert len(tokens) == len(classes) == 4 * 3
        # The last word of each text is its class.
        assert [classes[n] for n in range(12)] == [tokens[2 + 3 * (n // 3)] for n in range(12)]
        assert len(set(classes)) == 2
        assert "label" not in document.fields
        seen += tokens[::3]
    assert len(set(seen)) == len(seen)
    assert seen != sorted(seen, key=lambda word: int(word.removeprefix("word")))


def test_the_seed_determines_the_documents(tmp_path):
    path = corpus(tmp_path)
    tokens = [
        [each["metadata"].metadata["tokens"] for each in read(path, fragments=4, seed=seed)]
        for seed in (0, 0, 1)
    ]
    assert tokens[0] == tokens[1] != tokens[2]


def test_too_few_texts_or_classes_are_an_error(tmp_path):
    with pytest.raises(DataError, match="has 9 texts with a label, too few"):
        read(corpus(tmp_path, texts=9))
    with pytest.raises(DataError, match="texts of different classes"):
        read(corpus(tmp_path, labels=("neg",)))
    with pytest.raises(InputError, match="fragments is 1, but must be 2 or more"):
        read(corpus(tmp_path), fragments=1)


def test_documents_that_are_cut_keep_the_classes_of_what_is_left(tmp_path):
    config = {
        "type": "attention_text",
        "hybrid": {"fragments": 4},
        "max_tokens": 5,
        "too_long": "cut",
    }
    for document in DatasetReader.from_params(params(config)).read(corpus(tmp_path)):
        metadata = document["metadata"].metadata
        assert len(metadata["tokens"]) == len(metadata["fragments"]) == 5
