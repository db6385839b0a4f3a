"""Errors of other packages that a person can do something about become one message."""

import re

import numpy
import pytest
import torch
from allennlp.common import file_utils
from allennlp.data import Token, Vocabulary
from allennlp.data.token_indexers import TokenCharactersIndexer

from attention_explain.data.errors import DataError
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError
from attention_explain.sentences import sentence_of


def sentence(action) -> str:
    with pytest.raises(Exception) as raised:
        action()
    return sentence_of(raised.value)


def test_a_regular_expression_that_is_none():
    assert sentence(lambda: re.compile("(")).startswith(
        "'(' is not a regular expression (missing )"
    )


@pytest.mark.parametrize("action", [lambda: torch.empty(2**55), lambda: numpy.ones(2**55)])
def test_more_memory_than_there_is(action):
    told = sentence(action)
    assert told.startswith(
        "not enough memory; a text may be too long (the reader's options max_tokens"
    )


def test_an_unseen_character_in_a_namespace_without_unknown_items():
    vocabulary = Vocabulary(tokens_to_add={"character_tags": ["a"]})
    indexer = TokenCharactersIndexer("character_tags", min_padding_length=1)
    assert indexer.tokens_to_indices([Token("a")], vocabulary) == {"token_characters": [[0]]}
    told = sentence(lambda: indexer.tokens_to_indices([Token("é")], vocabulary))
    assert told.startswith(
        "'é' is not in the vocabulary's namespace 'character_tags', which has no"
    )


def test_errors_of_the_program_keep_their_traceback():
    assert sentence(lambda: {}["a"]) is None
    assert sentence(lambda: torch.ones(2) @ torch.ones(3)) is None


@pytest.mark.parametrize("error", [RuntimeError("no route\nto host"), OSError("refused")])
def test_a_download_that_fails(monkeypatch, error):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(file_utils._cached_path, "cached_path", fail)
    with pytest.raises(InputError) as raised:
        file_utils.cached_path("s3://bucket/vectors.txt")
    reason = str(error).splitlines()[0]
    assert raised.value.message == (
        f"s3://bucket/vectors.txt: cannot be downloaded ({reason}); check the address and the network "
        "connection, or download it yourself and give the path"
    )
    with pytest.raises(type(error)):
        file_utils.cached_path("a/path")


def test_a_text_that_is_too_long_for_the_tokenizer():
    class Spacy:
        def tokenize(self, text):
            raise ValueError("[E088] Text of length 1200000 exceeds maximum of 1000000.")

    with pytest.raises(DataError, match="the text has 6 characters, more than the tokenizer takes"):
        TextReader(tokenizer=Spacy()).text_to_instance("a text")
