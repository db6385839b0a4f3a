"""Word embeddings from a file of word vectors, with a stated rule for the words it lacks."""

import logging
from collections.abc import Sequence

import numpy
import torch
from allennlp.data import Vocabulary
from allennlp.modules import TokenEmbedder
from allennlp.modules.token_embedders import Embedding

from attention_explain.data.vocabulary import vector_lines
from attention_explain.errors import InputError
from attention_explain.named_components import check_choice
from attention_explain.symbols import MASK_TOKEN

logger = logging.getLogger(__name__)

RULES = ("zeros", "normal")

# Of random vectors. On the planted corpus AllenNLP's start (about .05) costs a BiLSTM several epochs,
# and torch's (1) lets a model without context learn the noise words: dev AUC .86 to .96, here .998.
START_DEVIATION = 0.1


@TokenEmbedder.register("word_vectors")
class WordVectors(Embedding):
    """
    AllenNLP's `embedding`, but a word that the file lacks starts at zero, as published by Jain &
    Wallace, where AllenNLP draws it at random; and the share of known words is logged.

    Registered as a `TokenEmbedder` with name "word_vectors".

    # Parameters

    embedding_dim : `int`
    pretrained_file : `str`, optional (default = `None`)
        A text file (plain, gz or zip; path or URL), a word and its vector a line. Without one, all
        vectors start at random. An archive does not need the file again.
    unknown_words : `str`, optional (default = `"zeros"`)
        `zeros`, or `normal`: mean and deviation of the vectors that are known. The mask of
        `erasure_training` starts at such a random vector in any case: at zero nothing would tell it
        from an unknown word.
    random_words : `List[str]`, optional (default = `None`)
        Words that start at such a random vector although the file lacks them.
    trainable : `bool`, optional (default = `True`)
    """

    def __init__(
        self,
        vocab: Vocabulary,
        embedding_dim: int,
        pretrained_file: str | None = None,
        unknown_words: str = "zeros",
        random_words: list[str] | None = None,
        trainable: bool = True,
        vocab_namespace: str = "tokens",
    ) -> None:
        check_choice("unknown_words", unknown_words, RULES)
        words = vocab.get_token_to_index_vocabulary(vocab_namespace)
        if pretrained_file is None:
            weight = START_DEVIATION * torch.randn(len(words), embedding_dim)
        else:
            known = read_vectors(pretrained_file, embedding_dim, words)
            drawn = [MASK_TOKEN, *(random_words or ())]
            weight = _weight(words, known, embedding_dim, unknown_words, drawn)
        super().__init__(
            embedding_dim=embedding_dim,
            weight=weight,
            padding_index=0,
            trainable=trainable,
            vocab_namespace=vocab_namespace,
            vocab=vocab,
        )


def read_vectors(path: str, dim: int, words: dict[str, int]) -> dict[str, numpy.ndarray]:
    """The vectors of those `words` that the file has."""
    known = {}
    for number, word, rest in vector_lines(path):
        if word not in words:
            continue
        numbers = rest.split(" ")
        # A word of two parts, as some files have: no token is such a one.
        if len(numbers) > dim and not _is_number(numbers[-dim - 1]):
            continue
        if len(numbers) != dim:
            raise InputError(
                f"{path}, line {number}: the vector has {len(numbers)} numbers, but "
                f"embedding_dim is {dim}"
            )
        try:
            known[word] = numpy.array(numbers, dtype=numpy.float32)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}") from error
        if not numpy.isfinite(known[word]).all():
            raise InputError(
                f"{path}, line {number}: the vector of {word!r} has a number that is not finite"
            )
    if not known:
        raise InputError(f"{path} has a vector for no word of the vocabulary")
    logger.info("%s: %d of %d words have a vector", path, len(known), len(words))
    return known


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _weight(
    words: dict[str, int],
    known: dict[str, numpy.ndarray],
    dim: int,
    unknown_words: str,
    drawn: Sequence[str],
) -> torch.Tensor:
    weight = torch.zeros(len(words), dim)
    values = numpy.stack(list(known.values()))
    mean, deviation = float(values.mean()), float(values.std())
    if unknown_words == "normal":
        weight.normal_(mean, deviation)
    else:
        for word in drawn:
            if word in words:
                weight[words[word]].normal_(mean, deviation)
    for word, vector in known.items():
        weight[words[word]] = torch.from_numpy(vector)
    return weight
