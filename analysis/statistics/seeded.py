"""
Random numbers that belong to a token of a text: they depend on the text's id, not on which other
texts are in the file or in what order, and all texts get theirs at once.
"""

import hashlib
from typing import Any, Sequence

import numpy

from analysis.measures.scores import Scores

GOLDEN = numpy.uint64(0x9E3779B97F4A7C15)


def text_keys(ids: Sequence[str]) -> numpy.ndarray:
    """A number a text. Shape: (texts,)"""
    return numpy.array([_hash(str(name)) for name in ids], dtype=numpy.uint64)


def uniform(scores: Scores, keys: numpy.ndarray, *stream: Any) -> numpy.ndarray:
    """
    A number from 0 to 1 for each token that has a score; others in each `stream`, which is named
    by whatever tells it from the rest. Shape: (tokens of all texts,)
    """
    starts = _mixed(keys ^ numpy.uint64(_hash(repr(stream))))
    place = numpy.arange(len(scores.values)) - numpy.repeat(scores.offsets[:-1], scores.lengths)
    numbers = _mixed(numpy.repeat(starts, scores.lengths) + place.astype(numpy.uint64) * GOLDEN)
    return (numbers >> numpy.uint64(11)) * 2.0**-53


def _mixed(numbers: numpy.ndarray) -> numpy.ndarray:
    """SplitMix64 (Steele, Lea & Flood 2014): counters in, random bits out."""
    numbers = numbers + GOLDEN
    numbers = (numbers ^ (numbers >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> numpy.uint64(31))


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
