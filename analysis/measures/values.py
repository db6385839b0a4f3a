"""A number a text, or the reason why there is none."""

from dataclasses import dataclass
from typing import Dict, Optional, Sequence

import numpy

from analysis.measures.scores import Scores

# Why a text has no value.
NO_SCORES = "no scores"
TOO_SHORT = "too few tokens"
NOT_FINITE = "scores that are not finite"
CONSTANT = "constant scores"
NEGATIVE = "negative scores"
ZERO_SUM = "scores sum to 0"
ALL_ZERO = "no score but 0"
WHOLE_TEXT = "k is the whole text"


class Undefined(Exception):
    """Raised by `Measure.one` where the measure has no value; the message says why."""


@dataclass(frozen=True)
class Values:
    """
    A number a text.

    value : NaN where it is undefined.
    undefined : why it is, "" where it is not.
    p_value : of the test against no agreement, where the measure has one.
    """

    value: numpy.ndarray
    undefined: numpy.ndarray
    p_value: Optional[numpy.ndarray] = None

    @classmethod
    def everywhere(cls, value: numpy.ndarray) -> "Values":
        """Values that are all defined."""
        return cls(value, numpy.full(len(value), "", dtype=object))

    @classmethod
    def but_where(
        cls,
        reasons: Dict[str, numpy.ndarray],
        value: numpy.ndarray,
        p_value: Optional[numpy.ndarray] = None,
    ) -> "Values":
        """The values but where a reason holds; the first one that does is given."""
        undefined = _first_reason(reasons)
        defined = undefined == ""
        return cls(
            value=numpy.where(defined, value, numpy.nan),
            undefined=undefined,
            p_value=None if p_value is None else numpy.where(defined, p_value, numpy.nan),
        )

    @classmethod
    def defined_where(
        cls,
        defined: numpy.ndarray,
        value: numpy.ndarray,
        reason: str,
        p_value: Optional[numpy.ndarray] = None,
    ) -> "Values":
        """The values where they are defined, and one reason for all the others."""
        return cls.but_where({reason: ~defined}, value, p_value)

    def among(self, undefined: numpy.ndarray) -> "Values":
        """Of more texts: these where `undefined` has no reason yet."""
        usable = undefined == ""
        reasons = undefined.copy()
        reasons[usable] = self.undefined

        def filled(numbers: Optional[numpy.ndarray]) -> Optional[numpy.ndarray]:
            if numbers is None:
                return None
            found = numpy.full(len(usable), numpy.nan)
            found[usable] = numbers
            return found

        return Values(filled(self.value), reasons, filled(self.p_value))


def unusable(columns: Sequence[Scores], least_tokens: int) -> numpy.ndarray:
    """Why a text is undefined whatever is measured, "" where it is not. Shape: (texts,)"""
    known = numpy.logical_and.reduce([column.known for column in columns])
    finite = numpy.logical_and.reduce([column.finite for column in columns])
    short = columns[0].lengths < least_tokens
    return _first_reason({NO_SCORES: ~known, TOO_SHORT: short, NOT_FINITE: ~finite})


def _first_reason(reasons: Dict[str, numpy.ndarray]) -> numpy.ndarray:
    return numpy.select(list(reasons.values()), list(reasons), default="").astype(object)
