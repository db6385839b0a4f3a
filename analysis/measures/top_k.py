"""How many tokens are the top ones, for the measures that look at no others."""

import math
from typing import Callable, Dict, Union

import numpy

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores


class TopK:
    """
    The option `k` of a measure, never more than the tokens of a text:

    a whole number from 1;
    a share between 0 and 1 : of the tokens of the text, rounded up, so at least 1;
    `all` : the length of the text;
    `average-length` : the mean number of tokens of all texts compared, rounded;
    `non-zero` : the number of scores that are not 0, of the column that has fewer of them in the
        text. May be 0, which the measure has to make undefined.
    """

    def __init__(self, k: Union[int, float, str]) -> None:
        is_count = isinstance(k, int) and k >= 1
        is_share = isinstance(k, float) and 0 < k < 1
        if not (is_count or is_share or k in RULES):
            raise AnalysisError(
                "k has to be a whole number from 1, a share between 0 and 1, or one of "
                f"{', '.join(RULES)}, not '{k}'"
            )
        self.k = k

    def sizes(self, first: Scores, second: Scores) -> numpy.ndarray:
        """The k of each text. Shape: (texts,)"""
        if isinstance(self.k, str):
            sizes = RULES[self.k](first, second)
        else:
            sizes = self._counted(first.lengths)
        return numpy.minimum(sizes, first.lengths)

    def takes_all(self, lengths: numpy.ndarray) -> numpy.ndarray:
        """Where a k that was given as a number leaves no token of a text out. Shape: (texts,)"""
        if isinstance(self.k, str):
            return numpy.zeros(len(lengths), dtype=bool)
        return self._counted(lengths) >= lengths

    def _counted(self, lengths: numpy.ndarray) -> numpy.ndarray:
        if isinstance(self.k, int):
            return numpy.full(len(lengths), self.k)
        # .1 * 30 is a little more than 3.
        return numpy.ceil((self.k * lengths).round(9)).astype(numpy.int64)


def _all(first: Scores, second: Scores) -> numpy.ndarray:
    return first.lengths


def _average_length(first: Scores, second: Scores) -> int:
    return math.floor(first.lengths.mean() + 0.5) if len(first) else 0


def _non_zero(first: Scores, second: Scores) -> numpy.ndarray:
    return numpy.minimum(*(column.sums(column.values != 0) for column in (first, second)))


RULES: Dict[str, Callable] = {
    "all": _all,
    "average-length": _average_length,
    "non-zero": _non_zero,
}
