"""A column of scores: a list a text, as long as the text, laid end to end in one array."""

from dataclasses import dataclass
from typing import Iterable, Iterator, Optional, Sequence

import numpy


@dataclass(frozen=True)
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

    @classmethod
    def of(cls, column: Iterable[Optional[Sequence[float]]]) -> "Scores":
        """From a column of an attribution file, in which a failed method left a null."""
        lists = [None if _missing(row) else numpy.asarray(row, dtype=float) for row in column]
        lengths = [0 if row is None else len(row) for row in lists]
        known = [row for row in lists if row is not None]
        return cls(
            values=numpy.concatenate(known) if known else numpy.empty(0),
            offsets=numpy.concatenate([[0], numpy.cumsum(lengths, dtype=numpy.int64)]),
            known=numpy.array([row is not None for row in lists], dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.known)

    def __iter__(self) -> Iterator[numpy.ndarray]:
        """The scores of each text; none where they are not known."""
        return iter(numpy.split(self.values, self.offsets[1:-1])) if len(self) else iter(())

    @property
    def lengths(self) -> numpy.ndarray:
        """Tokens of each text. Shape: (texts,)"""
        return numpy.diff(self.offsets)

    @property
    def texts(self) -> numpy.ndarray:
        """The text of each value. Shape: (tokens of all texts,)"""
        return numpy.repeat(numpy.arange(len(self)), self.lengths)

    def only(self, kept: numpy.ndarray) -> "Scores":
        """Of the texts where `kept` is true."""
        lengths = self.lengths[kept]
        return Scores(
            values=self.values[numpy.repeat(kept, self.lengths)],
            offsets=numpy.concatenate([[0], numpy.cumsum(lengths, dtype=numpy.int64)]),
            known=self.known[kept],
        )


def _missing(row: Optional[Sequence[float]]) -> bool:
    return row is None or (isinstance(row, float) and numpy.isnan(row))
