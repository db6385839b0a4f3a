"""Which words a model does not know."""

from allennlp.data import Vocabulary
from allennlp.data.token_indexers import SingleIdTokenIndexer, TokenCharactersIndexer

from attention_explain.data.vocabulary import unknown_words

WORDS = ["a", "Film", "dull"]


def vocabulary() -> Vocabulary:
    vocab = Vocabulary()
    vocab.add_tokens_to_namespace(["a", "film"], "tokens")
    vocab.add_tokens_to_namespace(["dull"], "others")
    return vocab


def test_a_word_is_unknown_where_its_index_is_that_of_unknown_words():
    vocab = vocabulary()
    for indexer in (SingleIdTokenIndexer(), SingleIdTokenIndexer(lowercase_tokens=True)):
        lower = indexer.lowercase_tokens
        indices = [vocab.get_token_index(word.lower() if lower else word) for word in WORDS]
        expected = [int(index == vocab.get_token_index("@@UNKNOWN@@")) for index in indices]
        assert unknown_words(WORDS, {"tokens": indexer}, vocab) == expected
        assert expected == [0, int(not lower), 1]


def test_a_word_that_one_of_two_indexers_knows_is_known():
    both = {"one": SingleIdTokenIndexer(), "two": SingleIdTokenIndexer(namespace="others")}
    assert unknown_words(WORDS, both, vocabulary()) == [0, 1, 0]


def test_where_characters_are_read_no_word_is_unknown():
    indexers = {
        "tokens": SingleIdTokenIndexer(),
        "characters": TokenCharactersIndexer(min_padding_length=1),
    }
    assert unknown_words(WORDS, indexers, vocabulary()) is None


def test_what_a_token_has_in_numbers_makes_no_word_known_or_unknown():
    part = SingleIdTokenIndexer(namespace=None, feature_name="type_id")
    indexers = {"tokens": SingleIdTokenIndexer(), "part": part}
    assert unknown_words(WORDS, indexers, vocabulary()) == [0, 1, 1]
