"""Which methods can be told apart by where they stand, and how many texts it would take for the others."""

from dataclasses import dataclass
from itertools import combinations
from typing import Dict, Optional, Sequence, Tuple

import numpy
from scipy.stats import norm

from analysis.statistics.intervals import LEVEL
from analysis.statistics.significance import ALPHA, holm, paired_in_one_model
from analysis.verdict.means import texts_needed
from analysis.verdict.places import Places
from analysis.written import Interval


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
    left : the tests that Holm counts at this one: its own, and those of larger p-values.
    """

    apart: bool
    left: int


def groups(places: Places) -> Dict[str, Grouped]:
    """
    By method. The best method, and all that cannot be told from it, are the first group; the best of
    those that are left, and all of them that cannot be told from it, the second; and so on. Two can be
    told apart if the interval of their difference does not hold 0 and the sign-flip test, its p-values
    adjusted for all pairs (Holm), says so.
    """
    methods = places.methods
    between = _differences(places, methods)
    found: Dict[str, Grouped] = {}
    left, number = methods, 0
    while left:
        number += 1
        first, *others = left
        found[first] = Grouped(number)
        for other in others:
            difference = between[first, other]
            if not difference.apart:
                found[other] = Grouped(number, _needed(places, first, other, difference.left))
        left = [each for each in left if each not in found]
    return found


def _differences(places: Places, methods: Sequence[str]) -> Dict[Tuple[str, str], Difference]:
    pairs = list(combinations(methods, 2))
    if not pairs:
        return {}
    values = {method: places.values(method) for method in methods}
    first, second = (numpy.array([values[pair[side]] for pair in pairs]) for side in (0, 1))
    tested = paired_in_one_model(first, second)
    adjusted = holm(tested["p"])
    apart = (adjusted <= ALPHA) & ((tested["low"] > 0) | (tested["high"] < 0))
    return {
        pair: Difference(bool(apart[place]), int((tested["p"] >= tested["p"][place]).sum()))
        for place, pair in enumerate(pairs)
    }


def _needed(places: Places, first: str, other: str, tests: int) -> Optional[int]:
    """By the normal approximation to both conditions, of which the test is the harder."""
    mean = places.less(first, other)
    longer = norm.ppf(1 - ALPHA / (2 * max(tests, 1))) / norm.ppf((1 + LEVEL) / 2)

    def told(intervals: Sequence[Interval]) -> bool:
        return longer * (intervals[0].high - mean.estimate.mean) < abs(mean.estimate.mean)

    return texts_needed([mean], told)
