"""
The top of a ranking: how many tokens it has, and how far two rankings share theirs, at one depth and
at every depth.
"""

import math
from collections.abc import Callable

import numpy

from analysis.measures.measure import (
    ALL_ZERO,
    CONSTANT,
    WHOLE_TEXT,
    Measure,
    Values,
    checked_number,
)
from analysis.measures.scores import Scores
from attention_explain.errors import InputError


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

    def __init__(self, k: int | float | str) -> None:
        is_count = isinstance(k, int) and k >= 1
        is_share = isinstance(k, float) and 0 < k < 1
        if not (is_count or is_share or k in RULES):
            raise InputError(
                "k has to be a whole number from 1, a share between 0 and 1, or one of "
                f"{', '.join(RULES)}, not '{k}'"
            )
        self.k = k

    def sizes(self, first: Scores, second: Scores) -> numpy.ndarray:
        """The k of each text. Shape: (texts,)"""
        if isinstance(self.k, str):
            sizes = RULES[self.k](first, second)
        else:
            sizes = _counted(self.k, first.lengths)
        return numpy.minimum(sizes, first.lengths)

    def takes_all(self, lengths: numpy.ndarray) -> numpy.ndarray:
        """Where a k that was given as a number leaves no token of a text out. Shape: (texts,)"""
        if isinstance(self.k, str):
            return numpy.zeros(len(lengths), dtype=bool)
        return _counted(self.k, lengths) >= lengths


def _counted(k: float, lengths: numpy.ndarray) -> numpy.ndarray:
    if isinstance(k, int):
        return numpy.full(len(lengths), k)
    # .1 * 30 is a little more than 3.
    return numpy.ceil((k * lengths).round(9)).astype(numpy.int64)


def _all(first: Scores, second: Scores) -> numpy.ndarray:
    return first.lengths


def _average_length(first: Scores, second: Scores) -> int:
    return math.floor(first.lengths.mean() + 0.5) if len(first) else 0


def _non_zero(first: Scores, second: Scores) -> numpy.ndarray:
    return numpy.minimum(*(column.sums(column.values != 0) for column in (first, second)))


RULES: dict[str, Callable] = {"all": _all, "average-length": _average_length, "non-zero": _non_zero}


@Measure.register("top-k-overlap")
class TopKOverlap(Measure):
    """
    The share of the k highest tokens that both columns have. Of tokens tied at the cut each is in
    with the same probability, and the value is the expected one. Undefined where the k highest are
    all tokens of the text: any two columns share those.
    """

    best_when_sorted = True
    top_k: TopK

    def __init__(self, k: int | float | str = 5) -> None:
        self.top_k = TopK(k)

    def all(self, first: Scores, second: Scores) -> Values:
        k = self.top_k.sizes(first, second)
        cut = first.spread(k)
        inside = [((cut - column.higher) / column.ties).clip(0, 1) for column in (first, second)]
        with numpy.errstate(invalid="ignore"):
            share = first.sums(inside[0] * inside[1]) / k
        reasons = {
            ALL_ZERO: k == 0,
            CONSTANT: first.constant | second.constant,
            WHOLE_TEXT: k == first.lengths,
        }
        return Values.but_where(reasons, share)


@Measure.register("rbo")
class RankBiasedOverlap(Measure):
    """
    Rank-biased overlap, extrapolated (Webber, Moffat and Zobel 2010): the mean over depths d of the
    share that the d highest tokens of both columns have in common, where depth d has weight
    (1 - p) p^(d - 1), and the depths beyond the text count as its last one does.

    Ties: the expected value when they are broken at random in each column by itself. A token in a
    group of g that begins below h others is among the d highest with probability (d - h) / g.
    """

    best_when_sorted = True

    def __init__(self, p: float = 0.9) -> None:
        self.p = checked_number("p", p, 0, 1, ends=False)

    def all(self, first: Scores, second: Scores) -> Values:
        depths = numpy.arange(1, first.lengths.max(initial=0) + 1)
        weights = (1 - self.p) * self.p ** (depths - 1) / depths
        # The sums of w, w d and w d^2 over depths up to d. Shape: (3, 1 + depths)
        moments = numpy.zeros((3, len(depths) + 1))
        numpy.cumsum([weights, weights * depths, weights * depths**2], axis=1, out=moments[:, 1:])
        value = first.sums(_expected(first, second, moments)) + self.p**first.lengths
        return Values.but_where({CONSTANT: first.constant | second.constant}, value)


def _expected(first: Scores, second: Scores, moments: numpy.ndarray) -> numpy.ndarray:
    """
    For each token the sum over depths of weight times the probability that both columns have it
    among that many. Each probability is a ramp from 0 to 1, so their product has three pieces, each
    a polynomial in the depth whose weighted sum is read from `moments`: until the first ramp has
    ended, until both have, and to the end of the text.
    """
    begins = numpy.stack([first.higher, second.higher])
    sizes = numpy.stack([first.ties, second.ties])
    ends = begins + sizes
    begin, end = begins.max(axis=0), ends.max(axis=0)
    middle = numpy.maximum(begin, ends.min(axis=0))
    second_lasts = ends[1] == end
    last_begin, last_size = (numpy.where(second_lasts, of[1], of[0]) for of in (begins, sizes))

    one, depth, square = _between(moments, begin, middle)
    both = square - begins.sum(axis=0) * depth + begins.prod(axis=0) * one
    one, depth, _ = _between(moments, middle, end)
    last = depth - last_begin * one
    rest = _between(moments, end, first.spread(first.lengths))[0]
    return both / sizes.prod(axis=0) + last / last_size + rest


def _between(
    moments: numpy.ndarray, low: numpy.ndarray, high: numpy.ndarray
) -> tuple[numpy.ndarray, ...]:
    return tuple(moments[:, high] - moments[:, low])
