"""The vocabulary by document frequency."""

import json

import pytest
from allennlp.common import Params
from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import Vocabulary
from allennlp.data.vocabulary import DEFAULT_OOV_TOKEN, DEFAULT_PADDING_TOKEN

from attention_explain.data.vocabulary import DocumentFrequencyVocabulary
from attention_explain.errors import InputError
from attention_explain.symbols import MASK_TOKEN

# "tea" is in three texts; "so" occurs four times, but in one text.
TEXTS = [("tea is fine", "1"), ("tea is so so so so", "0"), ("more tea", "1"), ("cocoa", "2")]


@pytest.fixture
def data(write):
    return write(
        "data.jsonl",
        "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in TEXTS),
    )


def reader_options() -> dict:
    """A new one each time, because AllenNLP empties what it reads."""
    return {"type": "attention_text", "tokenizer": {"type": "just_spaces"}}


def build(instances, **options) -> Vocabulary:
    return Vocabulary.from_params(
        Params({"type": "document_frequency", **options}), instances=instances
    )


def items(vocabulary, namespace="tokens") -> list:
    return list(vocabulary.get_token_to_index_vocabulary(namespace))


def test_documents_are_counted_and_not_occurrences(data, read):
    vocabulary = build(read(data), min_df=2)
    assert items(vocabulary) == [DEFAULT_PADDING_TOKEN, DEFAULT_OOV_TOKEN, "tea", "is"]
    assert vocabulary._retained_counter["tokens"]["so"] == 1


def test_the_order_of_the_texts_does_not_matter(data, read):
    instances = read(data)
    assert items(build(instances)) == items(build(instances[::-1]))


def test_words_are_counted_over_another_file_and_labels_over_the_instances(data, read):
    instances = read(data, min_tokens=2, max_tokens=3)
    unfiltered = build(instances, min_df=1, reader=reader_options(), data_path=data)
    assert {"so", "cocoa"} < set(items(unfiltered))
    assert "so" not in items(build(instances))
    assert items(unfiltered, "labels") == ["1"]
    assert unfiltered._retained_counter["labels"] == {"1": 2}


def test_labels_are_in_the_order_of_their_names(data, read):
    vocabulary = build(read(data))
    assert items(vocabulary, "labels") == ["0", "1", "2"]
    assert vocabulary._retained_counter["labels"] == {"0": 1, "1": 2, "2": 1}


@pytest.mark.parametrize(
    "labels, ordered",
    [
        (["10", "9", "-1"], ["-1", "9", "10"]),
        (["pos", "neg"], ["neg", "pos"]),
        (["10", "9", "x"], ["10", "9", "x"]),
    ],
)
def test_labels_that_are_numbers_are_in_the_order_of_the_numbers(make_reader, labels, ordered):
    reader = make_reader()
    instances = [reader.text_to_instance("tea", label=label) for label in labels]
    for instance in instances:
        reader.apply_token_indexers(instance)
    assert items(build(instances), "labels") == ordered


def test_boundary_symbols_are_kept_whatever_the_limits(data, read):
    instances = read(data, boundary_symbols=True, max_instances=2)
    vocabulary = build(instances, min_df=2, max_vocab_size=1)
    assert items(vocabulary)[2:] == [START_SYMBOL, END_SYMBOL, "is"]
    one_text = build(read(data, boundary_symbols=True)[:1], min_df=1)
    assert {START_SYMBOL, END_SYMBOL} < set(items(one_text))


def test_max_vocab_size_counts_words_and_not_symbols(data, read):
    assert items(build(read(data), max_vocab_size=2))[2:] == ["tea", "is"]


def test_items_are_added_behind_the_words_whatever_the_limits(data, read):
    vocabulary = build(read(data), max_vocab_size=1, tokens_to_add={"tokens": [MASK_TOKEN]})
    assert items(vocabulary)[2:] == ["tea", MASK_TOKEN]


def test_a_saved_vocabulary_is_the_same_when_loaded(data, read, write, tmp_path):
    odd = write("odd.jsonl", json.dumps({"tokens": ["3\u00a01\\/2", "caf\u00e9"], "label": "x"}))
    for number, instances in enumerate([read(data, boundary_symbols=True), read(odd)]):
        vocabulary = build(instances)
        folder = str(tmp_path / f"vocabulary-{number}")
        vocabulary.save_to_files(folder)
        # As an archive is loaded: by the class that its config names.
        named, _ = Vocabulary.resolve_class_name("document_frequency")
        for loaded in (Vocabulary.from_files(folder), named.from_files(folder)):
            for namespace in ("tokens", "labels"):
                assert items(loaded, namespace) == items(vocabulary, namespace)


def test_a_reader_without_a_path_is_rejected(data, read):
    with pytest.raises(InputError) as rejected:
        build(read(data), reader=reader_options())
    assert str(rejected.value) == (
        "the vocabulary needs both `reader` and `data_path`, or neither of them"
    )


def test_a_limit_that_no_word_meets_is_rejected(data, read):
    with pytest.raises(InputError) as rejected:
        build(read(data), min_df=4)
    assert str(rejected.value) == (
        "no item of the vocabulary's namespace 'tokens' occurs in 4 documents (min_df)"
    )


def test_how_often_words_occur_is_kept_with_the_vocabulary(data, read, tmp_path):
    vocabulary = build(read(data, boundary_symbols=True), min_df=2)
    # "so", "fine", "more" and "cocoa" are unknown words, of which there are 4 + 3; symbols are none.
    expected = {"@@UNKNOWN@@": 7, "tea": 3, "is": 2}
    vocabulary.save_to_files(tmp_path / "kept")
    loaded = DocumentFrequencyVocabulary.from_files(tmp_path / "kept")
    for one in (vocabulary, loaded):
        counts = dict(zip(items(one), one.unigrams["tokens"], strict=True))
        assert {word: count for word, count in counts.items() if count} == expected
        assert list(one.unigrams) == ["tokens"]


def test_a_vocabulary_that_kept_no_frequencies_is_loaded(data, read, tmp_path):
    build(read(data)).save_to_files(tmp_path / "old")
    (tmp_path / "old" / ".unigrams.json").unlink()
    loaded = DocumentFrequencyVocabulary.from_files(tmp_path / "old")
    assert items(loaded)[2:4] == ["tea", "is"] and loaded.unigrams == {}
