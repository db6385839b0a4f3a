"""How the pairs of tokens of each text stand in two rankings: what the Kendall family counts."""

from dataclasses import dataclass
from typing import Optional, Tuple

import numpy

from analysis.measures.ranks import changes, larger_before, sizes_of_runs
from analysis.measures.scores import Scores


@dataclass(frozen=True)
class Ordered:
    """
    The tokens of each text by their first rank and, where that ties, by the second. A rank is the
    number of tokens of the text that stand lower. Shape of all: (tokens of all texts,)

    ranks : both ranks of the token that stands there, as one number; see `first` and `second`.
    by_second : the places in this order, listed by second rank and, where that ties, by first.
    before : how many tokens with a higher first rank have a lower second one.
    """

    texts: Scores
    ranks: numpy.ndarray
    by_second: numpy.ndarray
    before: numpy.ndarray

    @classmethod
    def by(cls, texts: Scores, first: numpy.ndarray, second: numpy.ndarray) -> "Ordered":
        bits = len(texts.starts).bit_length()
        found = numpy.empty((3, len(texts.starts)), dtype=numpy.int64)
        for part in texts.parts():
            found[:, part] = _ordered(part, texts.starts[part], first[part], second[part], bits)
        return cls(texts, *found)

    @property
    def first(self) -> numpy.ndarray:
        return (self.ranks >> len(self.ranks).bit_length()) - self.texts.starts

    @property
    def second(self) -> numpy.ndarray:
        return self.ranks & ((1 << len(self.ranks).bit_length()) - 1)

    @property
    def tied_both(self) -> numpy.ndarray:
        """How many tokens, itself among them, have the same two ranks."""
        return sizes_of_runs(changes(self.ranks))


@dataclass(frozen=True)
class Pairs:
    """
    Numbers of pairs of tokens. Shape of each: (texts,)

    discordant : ordered one way by the first ranking and the other way by the second.
    """

    total: numpy.ndarray
    discordant: numpy.ndarray
    tied_first: numpy.ndarray
    tied_second: numpy.ndarray
    tied_both: numpy.ndarray

    @classmethod
    def of(cls, first: Scores, second: Scores) -> "Pairs":
        """In the rankings by two columns of scores."""
        tied = first.tied_pairs, second.tied_pairs
        return cls._counted(Ordered.by(first, first.ranks, second.ranks), *tied)

    @classmethod
    def ranked(cls, texts: Scores, first: numpy.ndarray, second: numpy.ndarray) -> "Pairs":
        """In two rankings, as `Ordered` takes them."""
        tied = tied_pairs(texts, first), tied_pairs(texts, second)
        return cls._counted(Ordered.by(texts, first, second), *tied)

    @classmethod
    def _counted(
        cls, ordered: Ordered, tied_first: numpy.ndarray, tied_second: numpy.ndarray
    ) -> "Pairs":
        texts = ordered.texts
        return cls(
            total=texts.lengths * (texts.lengths - 1) // 2,
            discordant=texts.sums(ordered.before),
            tied_first=tied_first,
            tied_second=tied_second,
            tied_both=texts.sums(ordered.tied_both - 1) // 2,
        )

    @property
    def balance(self) -> numpy.ndarray:
        """Concordant minus discordant pairs."""
        ordered = self.total - self.tied_first - self.tied_second + self.tied_both
        return ordered - 2 * self.discordant

    @property
    def tau_b(self) -> numpy.ndarray:
        """NaN where one of the rankings is one tie."""
        untied_first, untied_second = self.total - self.tied_first, self.total - self.tied_second
        with numpy.errstate(invalid="ignore"):
            tau = self.balance / numpy.sqrt(untied_first) / numpy.sqrt(untied_second)
        return tau.clip(-1, 1)


def tied_pairs(
    texts: Scores, ranks: numpy.ndarray, where: Optional[numpy.ndarray] = None
) -> numpy.ndarray:
    """Pairs of tokens with the same rank, if need be only of tokens in `where`. Shape: (texts,)"""
    groups = texts.starts + ranks
    sizes = numpy.bincount(groups if where is None else groups[where], minlength=len(groups))
    return texts.sums(sizes * (sizes - 1) // 2)


def _ordered(
    part: slice, starts: numpy.ndarray, first: numpy.ndarray, second: numpy.ndarray, bits: int
) -> Tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """`ranks`, `by_second` and `before` of `Ordered`, for the tokens in `part`."""
    lower = (1 << bits) - 1
    # To sort numbers takes less than half the time of finding the order that sorts them, so what
    # has to move along is in the lower bits.
    ranks = numpy.sort((starts + first) << bits | second)
    places = numpy.arange(part.start, part.stop)
    by_second = numpy.sort((starts + (ranks & lower)) << bits | places) & lower
    before = larger_before(by_second - part.start, starts - part.start)
    return ranks, by_second, before
