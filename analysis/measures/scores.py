"""
A column of scores: one list per text, as long as the text, laid end to end in one array; and how the
tokens of each text rank by them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy

# Tokens that are ranked and ordered together.
PART = 1 << 15


@dataclass(frozen=True, eq=False)
class Scores:
    """
    values : the scores of all texts. Shape: (tokens of all texts,)
    offsets : text i has `values[offsets[i] : offsets[i + 1]]`. Shape: (texts + 1,)
    known : False for a text that the method has no scores for; it has no values either.
        Shape: (texts,)
    """

    values: numpy.ndarray
    offsets: numpy.ndarray
    known: numpy.ndarray
    # The column that this one was taken from, and which of its tokens in which order: ranks are
    # sorted out once for a column, however many others it is compared with.
    _source: tuple["Scores", numpy.ndarray] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, column: Iterable[Sequence[float] | numpy.ndarray | None]) -> "Scores":
        """From a column of an attribution file, in which a failed method left a null."""
        lists = [None if _missing(row) else numpy.asarray(row, dtype=float) for row in column]
        lengths = [0 if row is None else len(row) for row in lists]
        known = [row for row in lists if row is not None]
        return cls(
            values=numpy.concatenate(known) if known else numpy.empty(0),
            offsets=_offsets(lengths),
            known=numpy.array([row is not None for row in lists], dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.known)

    def __iter__(self) -> Iterator[numpy.ndarray]:
        """The scores of each text; none where they are not known."""
        return iter(numpy.split(self.values, self.offsets[1:-1])) if len(self) else iter(())

    @cached_property
    def lengths(self) -> numpy.ndarray:
        """Tokens of each text. Shape: (texts,)"""
        return numpy.diff(self.offsets)

    @cached_property
    def texts(self) -> numpy.ndarray:
        """The text of each value. Shape: (tokens of all texts,)"""
        return self.spread(numpy.arange(len(self)))

    @cached_property
    def finite(self) -> numpy.ndarray:
        """False for a text with a score that is infinite or not a number. Shape: (texts,)"""
        return self.sums(~numpy.isfinite(self.values)) == 0

    @cached_property
    def starts(self) -> numpy.ndarray:
        """Where the text of each value begins. Shape: (tokens of all texts,)"""
        return self.spread(self.offsets[:-1])

    @property
    def ranks(self) -> numpy.ndarray:
        """How many tokens of its text have a lower score. Shape: (tokens of all texts,)"""
        return self._ranks_and_ties[0]

    @property
    def ties(self) -> numpy.ndarray:
        """How many tokens of its text, itself among them, have the same score. Shape: as `ranks`"""
        return self._ranks_and_ties[1]

    @property
    def higher(self) -> numpy.ndarray:
        """How many tokens of its text have a higher score. Shape: as `ranks`"""
        return self.spread(self.lengths) - self.ranks - self.ties

    @cached_property
    def tied_pairs(self) -> numpy.ndarray:
        """Pairs of tokens with the same score. Shape: (texts,)"""
        return self.sums(self.ties - 1) // 2

    @cached_property
    def tie_terms(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Over groups of t tied tokens, the sums of t(t - 1)(t - 2) and of t(t - 1)(2t + 5)."""
        ties = self.ties.astype(float)
        return self.sums((ties - 1) * (ties - 2)), self.sums((ties - 1) * (2 * ties + 5))

    @cached_property
    def constant(self) -> numpy.ndarray:
        """True for a text in which all scores are the same. Shape: (texts,)"""
        return self.sums(self.ranks) == 0

    @cached_property
    def sorted(self) -> "Scores":
        """The scores of each text from low to high."""
        order = (self.starts + self.ranks).argsort()
        return Scores(self.values[order], self.offsets, self.known, _source=(self, order))

    def absolute(self) -> "Scores":
        """The sizes of the scores, without their signs."""
        if not (self.values < 0).any():
            return self
        return Scores(numpy.abs(self.values), self.offsets, self.known)

    def only(self, kept: numpy.ndarray) -> "Scores":
        """Of the texts where `kept` is true."""
        if kept.all():
            return self
        tokens = self.spread(kept)
        return Scores(
            values=self.values[tokens],
            offsets=_offsets(self.lengths[kept]),
            known=self.known[kept],
            _source=(self, tokens),
        )

    def only_tokens(self, kept: numpy.ndarray) -> "Scores":
        """Of all texts, the tokens where `kept` is true."""
        return Scores(self.values[kept], _offsets(self.sums(kept)), self.known)

    def sums(self, of_tokens: numpy.ndarray) -> numpy.ndarray:
        """The sum over the tokens of each text. Shape: (texts,)"""
        if of_tokens.dtype == bool:
            of_tokens = of_tokens.astype(numpy.int64)
        return self._reduce(numpy.add, of_tokens)

    def largest(self, of_tokens: numpy.ndarray) -> numpy.ndarray:
        """The largest number of each text, 0 if it has no tokens. Shape: (texts,)"""
        return self._reduce(numpy.maximum, of_tokens)

    def spread(self, of_texts: numpy.ndarray) -> numpy.ndarray:
        """For each token what its text has. Shape: (tokens of all texts,)"""
        return numpy.repeat(of_texts, self.lengths)

    def parts(self) -> Iterator[slice]:
        """Tokens of some texts, then of the next ones: as many as fit together in a cache."""
        text = 0
        while text < len(self):
            full = self.offsets.searchsorted(self.offsets[text] + PART, side="right") - 1
            end = max(full, text + 1)
            yield slice(self.offsets[text], self.offsets[end])
            text = end

    def _reduce(self, function: numpy.ufunc, of_tokens: numpy.ndarray) -> numpy.ndarray:
        of_texts = numpy.zeros(len(self), dtype=of_tokens.dtype)
        # Between equal offsets `reduceat` would take the token that follows.
        filled = self.lengths > 0
        of_texts[filled] = function.reduceat(of_tokens, self.offsets[:-1][filled])
        return of_texts

    @cached_property
    def _ranks_and_ties(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        if self._source is not None:
            whole, tokens = self._source
            return whole.ranks[tokens], whole.ties[tokens]
        ranks = numpy.empty((2, len(self.values)), dtype=numpy.int64)
        for part in self.parts():
            ranks[:, part] = ranks_and_ties(self.values[part], self.starts[part] - part.start)
        return ranks[0], ranks[1]


def _offsets(lengths: Sequence[int] | numpy.ndarray) -> numpy.ndarray:
    return numpy.concatenate([[0], numpy.cumsum(lengths, dtype=numpy.int64)])


def _missing(row: Sequence[float] | numpy.ndarray | None) -> bool:
    return row is None or (isinstance(row, float) and numpy.isnan(row))


def ranks_and_ties(
    values: numpy.ndarray, starts: numpy.ndarray
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """
    For each token how many of its text have a lower score, and how many, itself among them, the
    same one. `starts` has for each token where its text begins. Shape of all: (tokens of all texts,)
    """
    # Two fast sorts, of the scores of all texts and then of whole numbers, take a third of the time
    # of one `lexsort`.
    order = values.argsort()
    among_all = numpy.empty(len(order), dtype=numpy.int64)
    among_all[order] = numpy.cumsum(changes(values[order]))
    key = starts * (len(order) + 1) + among_all
    order = key.argsort()
    begins = changes(key[order])
    ranks, ties = numpy.empty((2, len(order)), dtype=numpy.int64)
    ties[order] = sizes_of_runs(begins)
    ranks[order] = numpy.maximum.accumulate(numpy.arange(len(order)) * begins) - starts
    return ranks, ties


def changes(values: numpy.ndarray) -> numpy.ndarray:
    """Where a value differs from the one before it; the first always does."""
    differs = numpy.ones(len(values), dtype=bool)
    numpy.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def sizes_of_runs(begins: numpy.ndarray) -> numpy.ndarray:
    """For each entry the size of the run it is in, from where runs begin."""
    sizes = numpy.diff(numpy.flatnonzero(begins), append=len(begins))
    return numpy.repeat(sizes, sizes)
