"""Means with intervals that know what more texts would make of them, and how many it would take."""

import math
from dataclasses import dataclass
from typing import Callable, List, Optional, Sequence

import numpy
from scipy.stats import norm

from analysis.statistics.intervals import LEVEL, intervals, mean_of_known, texts_with_values
from analysis.written import Estimate, Interval

# Nobody has more; what so many would not decide is not decided by texts.
MOST_TEXTS = 10_000_000


@dataclass(frozen=True)
class Mean:
    """
    Over texts, and seeds where there are enough.

    texts : with a value.
    of_seeds : the part of the squared half of the interval that is there for the seeds: more texts do
        not make it smaller.
    share : whether it is a share of texts, whose interval may never be of length 0.
    """

    estimate: Estimate
    texts: int
    of_seeds: float = 0.0
    share: bool = False

    @classmethod
    def of(cls, values: numpy.ndarray, share: bool = False) -> "Mean":
        """NaN is no value; of a share, values are 0 and 1. Shape: (seeds, texts)"""
        estimates = intervals(values[None])
        mean, low, high = (
            float(each[0]) for each in (estimates.mean, estimates.low, estimates.high)
        )
        texts = int(texts_with_values(values))
        alone = intervals(mean_of_known(values, 0)[None, None])
        half, of_texts = high - mean, float(alone.high[0] - alone.mean[0])
        over_seeds = bool(estimates.over_seeds[0])
        of_seeds = max(half**2 - of_texts**2, 0.0) if over_seeds else 0.0
        if share and texts:
            wilson = wilson_interval(mean, texts)
            # Of 0 in 5 the usual interval is a point; of a share it never is. Seeds make it longer.
            low = max(mean - math.hypot(mean - wilson.low, math.sqrt(of_seeds)), 0.0)
            high = min(mean + math.hypot(wilson.high - mean, math.sqrt(of_seeds)), 1.0)
        return cls(Estimate(mean, float(low), float(high)), texts, of_seeds, share)

    def with_texts(self, texts: int) -> Interval:
        """What the interval would be with so many, were they as these are."""
        mean = self.estimate.mean
        if self.share:
            ends = wilson_interval(mean, texts)
            below, above = mean - ends.low, ends.high - mean
        else:
            of_texts = max((self.estimate.high - mean) ** 2 - self.of_seeds, 0.0)
            below = above = math.sqrt(of_texts * self.texts / texts)
        return Interval(
            mean - math.hypot(below, math.sqrt(self.of_seeds)),
            mean + math.hypot(above, math.sqrt(self.of_seeds)),
        )


def wilson_interval(share: float, number: int) -> Interval:
    """Of a share of so many; also where it is 0 or 1 it says something about others."""
    z = float(norm.ppf((1 + LEVEL) / 2))
    middle = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    half = z * math.sqrt(share * (1 - share) / number + z**2 / (4 * number**2))
    half /= 1 + z**2 / number
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))


def texts_needed(means: Sequence[Mean], decided: Callable[[List[Interval]], bool]) -> Optional[int]:
    """
    The number of texts from which the intervals would decide, at the present means and spread; None
    if no number does, because a mean is on a bound, or seeds are what is lacking.
    """
    if not means or any(not mean.estimate.interval.known for mean in means):
        return None

    def enough(texts: int) -> bool:
        return decided([mean.with_texts(texts) for mean in means])

    low = high = max(mean.texts for mean in means)
    while not enough(high):
        low, high = high, 2 * high
        if high > MOST_TEXTS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def about(count: int) -> str:
    """Two digits that count, rounded up: `1,600`."""
    step = 10 ** max(len(str(count)) - 2, 0)
    return f"{-(-count // step) * step:,}"
