"""Means with confidence intervals, extrapolated to larger samples."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy
from scipy.stats import norm

from analysis.statistics.intervals import LEVEL, intervals, mean_of_known, texts_with_values
from analysis.written import Estimate, Interval

# Nobody has more texts; a question that these would not decide is not decided by texts.
MOST_TEXTS = 10_000_000
# An answer rests on at least this number of texts.
LEAST_TEXTS = 20
# Values come from probabilities in single precision: a shorter interval has zero width.
ZERO_WIDTH = 1e-6
UNKNOWN_INTERVAL = Interval(math.nan, math.nan)


@dataclass(frozen=True)
class Mean:
    """
    A mean over texts, and over seeds if there are enough.

    texts : how many have a value.
    of_seeds : the share of the squared half-width that is due to seeds: more texts do not reduce it.
    share : whether it is a share of texts, whose interval never has zero width.
    limits : the smallest and the largest possible value, if all values are equal and the interval comes
        from the limits.
    """

    estimate: Estimate
    texts: int
    of_seeds: float = 0.0
    share: bool = False
    limits: tuple[float, float] | None = None

    @classmethod
    def of(
        cls,
        values: numpy.ndarray,
        share: bool = False,
        limits: tuple[float, float] | None = None,
    ) -> "Mean":
        """
        The mean of values; NaN is no value. With `share`, values are 0 and 1. With `limits`, equal values get
        the interval of `interval_of_equal_values`. Shape: (seeds, texts)
        """
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
            # The usual interval of 0 in 5 is a point; Wilson's is not. Seeds make it wider.
            low = max(mean - math.hypot(mean - wilson.low, math.sqrt(of_seeds)), 0.0)
            high = min(mean + math.hypot(wilson.high - mean, math.sqrt(of_seeds)), 1.0)
        if limits is None or not has_zero_width(Interval(float(low), float(high))):
            return cls(Estimate(mean, float(low), float(high)), texts, of_seeds, share)
        ends = interval_of_equal_values(mean, texts, limits)
        return cls(Estimate(mean, ends.low, ends.high), texts, limits=limits)

    @property
    def texts_missing(self) -> int:
        """How many texts are missing for an answer."""
        return max(LEAST_TEXTS - self.texts, 0)

    def with_texts(self, texts: int) -> Interval:
        """The interval that a sample of this size would have, at the same mean and spread."""
        mean = self.estimate.mean
        if self.limits is not None:
            return interval_of_equal_values(mean, texts, self.limits)
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
    """Wilson's interval of a share of `number` texts, which has a width even for 0 and 1."""
    z = float(norm.ppf((1 + LEVEL) / 2))
    middle = (share + z**2 / (2 * number)) / (1 + z**2 / number)
    half = z * math.sqrt(share * (1 - share) / number + z**2 / (4 * number**2))
    half /= 1 + z**2 / number
    return Interval(max(middle - half, 0.0), min(middle + half, 1.0))


def has_zero_width(interval: Interval) -> bool:
    """Whether it is a point, up to rounding; an unknown interval is not."""
    return interval.known and interval.high - interval.low <= ZERO_WIDTH


def usable(interval: Interval) -> Interval:
    """The interval for a decision: unknown if its width is zero."""
    return UNKNOWN_INTERVAL if has_zero_width(interval) else interval


def interval_of_equal_values(mean: float, texts: int, limits: tuple[float, float]) -> Interval:
    """
    The interval of a mean whose values are all equal: a share of texts up to Wilson's bound for 0 of `texts`
    may have any other value between the limits.
    """
    unseen = wilson_interval(0.0, texts).high
    least, most = limits
    return Interval(mean - unseen * (mean - least), mean + unseen * (most - mean))


def texts_needed(means: Sequence[Mean], decided: Callable[[list[Interval]], bool]) -> int | None:
    """
    The smallest number of texts whose intervals would decide, at the same means and spread; None if no
    number would, because a mean is on a bound or more seeds are needed.
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


def too_few(texts: int) -> str:
    """The reason for no answer with fewer than `LEAST_TEXTS` texts."""
    judged = "1 text was" if texts == 1 else f"{texts} texts were"
    return (
        f"only {judged} judged, and an answer needs at least {LEAST_TEXTS}: {LEAST_TEXTS - texts} "
        "more are needed"
    )


def round_up(count: int) -> str:
    """To two significant digits: `1,600`."""
    step = 10 ** max(len(str(count)) - 2, 0)
    return f"{-(-count // step) * step:,}"
