"""Which methods can be told apart by where they stand, and how many texts it would take for the others."""

from dataclasses import dataclass
from itertools import combinations
from typing import Dict, List, Optional, Sequence, Tuple

import numpy
from scipy.stats import norm

from analysis.statistics.intervals import texts_with_values
from analysis.statistics.significance import ALPHA, holm, paired_in_one_model
from analysis.verdict.means import LEAST_TEXTS, MOST_TEXTS, ZERO_WIDTH, deciding, texts_needed
from analysis.verdict.places import Places


@dataclass(frozen=True)
class Grouped:
    """
    group : methods of one number cannot be told from the best of them.
    texts_needed : that would tell it from the best of its group, at the present means and spread;
        None for that one itself, and where no number would.
    """

    group: int
    texts_needed: Optional[int] = None


@dataclass(frozen=True)
class Difference:
    """
    Of two methods.

    apart : whether they can be told apart.
    times : as many texts the test would take, of the same kind; 1 or less where these are enough.
    """

    apart: bool
    times: float


def groups(places: Places) -> Dict[str, Grouped]:
    """
    By method. The best method, and all that cannot be told from it, are the first group; the best of
    those that are left, and all of them that cannot be told from it, the second; and so on. Two can be
    told apart if the interval of their difference does not hold 0 and the sign-flip test, its p-values
    adjusted for all pairs (Holm), says so. Fewer than `LEAST_TEXTS` texts tell none apart, and neither
    does an interval of zero width.
    """
    methods = places.methods
    between = _differences(places, methods)
    grouped: Dict[str, Grouped] = {}
    left, number = methods, 0
    while left:
        number += 1
        first, *others = left
        grouped[first] = Grouped(number)
        for other in others:
            difference = between[first, other]
            if not difference.apart:
                grouped[other] = Grouped(number, _needed(places, first, other, difference.times))
        left = [each for each in left if each not in grouped]
    return grouped


def _differences(places: Places, methods: Sequence[str]) -> Dict[Tuple[str, str], Difference]:
    pairs = list(combinations(methods, 2))
    if not pairs:
        return {}
    values = {method: places.values(method) for method in methods}
    first, second = (numpy.array([values[pair[side]] for pair in pairs]) for side in (0, 1))
    tested = paired_in_one_model(first, second)
    p_values = tested["p"]
    apart = (holm(p_values) <= ALPHA) & ((tested["low"] > 0) | (tested["high"] < 0))
    apart &= (tested["high"] - tested["low"] > ZERO_WIDTH) & (
        texts_with_values(first - second) >= LEAST_TEXTS
    )
    return dict(zip(pairs, map(Difference, apart.tolist(), _times(p_values)), strict=True))


def _times(p_values: numpy.ndarray) -> List[float]:
    """
    The square of how many times as far from 0 each would have to be, by the normal approximation, for
    Holm's procedure to come to it and reject it: of two pairs the one with the smaller p-value is first.
    """
    order = numpy.argsort(p_values, kind="stable")
    left = len(order) - numpy.arange(len(order))
    with numpy.errstate(divide="ignore"):
        squares = (norm.isf(ALPHA / (2 * left)) / norm.isf(p_values[order] / 2)) ** 2
    times = numpy.empty(len(order))
    times[order] = numpy.maximum.accumulate(squares)
    return times.tolist()


def _needed(places: Places, first: str, other: str, times: float) -> Optional[int]:
    """For the interval not to hold 0, and for the test."""
    mean = places.less(first, other)
    of_test = mean.texts * times
    of_interval = texts_needed([mean], lambda intervals: deciding(intervals[0]).low > 0)
    if of_interval is None or not of_test <= MOST_TEXTS:
        return None
    return max(of_interval, int(of_test) + 1, LEAST_TEXTS)
