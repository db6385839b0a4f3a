"""Tokens given or split here: what a vocabulary keeps of it, and what is then rejected."""

import pytest
from allennlp.common import Params
from allennlp.data import Vocabulary

from attention_explain.data.errors import DataError
from attention_explain.data.example import (
    ORIGIN_NAMESPACE,
    UNKNOWN_SPLIT,
    check_split,
    training_origins,
)
from attention_explain.data.planted.corpus import PlantedCorpus
from attention_explain.data.planted.settings import PRESETS
from attention_explain.data.tokenizers import EnglishTokenizer


@pytest.fixture
def texts(make_reader):
    """An instance of a string, and one of its tokens."""
    reader = make_reader()
    made = {
        "text": reader.text_to_instance(text="ca n't", label="0"),
        "tokens": reader.text_to_instance(tokens=["ca", "n't"], label="1"),
    }
    for instance in made.values():
        reader.apply_token_indexers(instance)
    return made


@pytest.mark.parametrize("kind", ["from_instances", "document_frequency"])
@pytest.mark.parametrize("origins", [["text"], ["tokens"], ["text", "tokens"]])
def test_the_vocabulary_keeps_how_training_texts_came_about(texts, origins, kind, tmp_path):
    config = Params({"type": kind})
    vocab = Vocabulary.from_params(config, instances=[texts[origin] for origin in origins])
    vocab.save_to_files(str(tmp_path))
    assert training_origins(Vocabulary.from_files(str(tmp_path))) == set(origins)


def test_a_string_is_rejected_by_a_model_trained_on_tokens_unless_allowed(texts):
    vocab = Vocabulary.from_instances([texts["tokens"]])
    with pytest.raises(DataError, match="trained on texts given as tokens.*give its 'tokens'"):
        check_split([texts["tokens"], texts["text"]], vocab)
    assert check_split([texts["text"]], vocab, split_text=True) is None
    assert check_split([texts["tokens"]], vocab) is None


@pytest.mark.parametrize("origins", [["text"], ["text", "tokens"]])
def test_a_model_trained_on_strings_takes_both(texts, origins):
    vocab = Vocabulary.from_instances([texts[origin] for origin in origins])
    assert check_split(texts.values(), vocab) is None


def test_an_older_model_says_that_it_cannot_tell(texts):
    vocab = Vocabulary()
    assert check_split([texts["text"]], vocab) == UNKNOWN_SPLIT
    assert check_split([texts["tokens"]], vocab) is None
    # Asking leaves no trace that would be saved.
    assert ORIGIN_NAMESPACE not in vocab.get_namespaces()


@pytest.mark.parametrize("preset", PRESETS)
def test_the_planted_corpus_is_split_as_a_string_of_it_would_be(preset):
    english = EnglishTokenizer()
    for sentence in PlantedCorpus(preset, sizes={"train": 200}).split("train"):
        split = [token.text for token in english.tokenize(" ".join(sentence.tokens))]
        assert split == list(sentence.tokens)


def test_the_planted_reader_counts_as_one_of_strings(make_reader):
    (first, *_) = make_reader("planted", tokenizer="english").read("dev")
    assert first["metadata"].origin == "text"
    (first, *_) = make_reader("planted", tokenizer="character").read("dev")
    assert first["metadata"].origin == "tokens"
