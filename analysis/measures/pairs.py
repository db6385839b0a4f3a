"""How the pairs of tokens of each text stand in two rankings: what the Kendall family counts."""

from dataclasses import dataclass
from typing import Optional

import numpy

from analysis.measures.inversions import larger_before
from analysis.measures.scores import Scores


@dataclass(frozen=True)
class Ordered:
    """
    The tokens of each text by their first rank and, where that ties, by the second.

    tokens : which token stands there.
    second_places : where it would stand by the second rank and, where that ties, by the first.
    before : how many tokens with a higher first rank have a lower second one.
    tied_both : how many tokens, itself among them, have the same two ranks.
    """

    tokens: numpy.ndarray
    second_places: numpy.ndarray
    before: numpy.ndarray
    tied_both: numpy.ndarray

    @classmethod
    def by(cls, texts: Scores, first: numpy.ndarray, second: numpy.ndarray) -> "Ordered":
        """A rank is the number of tokens of the text that stand lower. Shape of all: (tokens,)"""
        starts = texts.starts
        count = len(starts) + 1
        key = (starts + first) * count + second
        tokens = key.argsort()
        key = key[tokens]
        places = numpy.arange(len(key))
        by_second = ((starts + second[tokens]) * count + places).argsort()
        second_places = numpy.empty_like(by_second)
        second_places[by_second] = places
        bounds = numpy.flatnonzero(numpy.diff(key, prepend=-1, append=-1))
        sizes = numpy.diff(bounds)
        return cls(
            tokens, second_places, larger_before(by_second, starts), numpy.repeat(sizes, sizes)
        )


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
    def counted(cls, texts: Scores, first: numpy.ndarray, second: numpy.ndarray) -> "Pairs":
        ordered = Ordered.by(texts, first, second)
        return cls(
            total=texts.lengths * (texts.lengths - 1) // 2,
            discordant=texts.sums(ordered.before),
            tied_first=tied_pairs(texts, first),
            tied_second=tied_pairs(texts, second),
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
