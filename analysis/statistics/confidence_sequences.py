"""
Confidence sequences: intervals that hold at all numbers of texts at once, so that texts can be added until an
interval decides. By betting against each candidate value (Waudby-Smith & Ramdas 2024, "Estimating means
of bounded random variables by betting", hedged capital with predictable plug-in bets).

A text i has a gain g_i and a room r_i, and the parameter is the ratio E[g] / E[r]: a faithfulness score if
g is value - random and r is best - random, a mean if r is 1. For each candidate b, d_i = g_i - b r_i has a
mean above 0 if and only if the ratio is above b. The capital of a bet on that, product of 1 + lambda_i d_i,
reaches 2 / alpha with probability alpha / 2 at most if it is false, however long one bets (Ville).

Texts must be in random order. The interval is about the texts from which these are drawn; it also covers the
mean of a finite data set that is drawn without replacement, of which it does not use that the rest shrinks.
"""

import math
from dataclasses import dataclass, field

import numpy

from analysis.statistics.intervals import LEVEL
from analysis.written import Interval

# At most this share of the capital is lost by one text.
STAKE = 0.9
# Candidates of a range; an end of the interval is at most one step too far out.
STEPS = 400
# Texts at once: fast for the default number of candidates.
BLOCK = 32
# Values come from probabilities in single precision.
ROUNDING = 1e-6


@dataclass
class ConfidenceSequence:
    """
    An interval of E[gain] / E[room], for all numbers of texts at once.

    # Parameters

    candidates : `numpy.ndarray`
        Values of the ratio, ascending; the interval ends at two of them. The first and the last are limits
        of the ratio. Shape: (candidates,)
    below, above : `numpy.ndarray`
        For each candidate b, gain - b * room is never less than -below and never more than above. They must be
        known before any text is seen, and hold for every text. Shape: (candidates,)
    """

    candidates: numpy.ndarray
    below: numpy.ndarray
    above: numpy.ndarray
    level: float = LEVEL
    texts: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._span = self.below + self.above
        # Capital of the bets on a ratio above, and below, each candidate; and the most it ever was.
        self._log_capital = numpy.zeros((2, len(self.candidates)))
        self._most = numpy.zeros_like(self._log_capital)
        # Of d as a fraction of its range: its sum, and that of squared deviations from the running mean.
        self._sum = numpy.zeros(len(self.candidates))
        self._squares = numpy.zeros(len(self.candidates))

    @classmethod
    def of_mean(cls, low: float, high: float, level: float = LEVEL) -> "ConfidenceSequence":
        """For the mean of values in [low, high]: gains, with a room of 1."""
        candidates = numpy.linspace(low, high, STEPS + 1)
        return cls(candidates, candidates - low, high - candidates, level)

    @classmethod
    def of_score(
        cls, width: float = 1.0, low: float = -1.0, high: float = 1.0, level: float = LEVEL
    ) -> "ConfidenceSequence":
        """
        For a faithfulness score, E[value - random] / E[best - random], between `low` and `high`. All three
        numbers of a text lie in an interval of this width (1 for changes of a probability, wherever it is):
        |value - (1 - b) random - b best| is at most width * max(1, 1 - b, b).
        """
        candidates = numpy.linspace(low, high, STEPS + 1)
        bound = width * numpy.maximum(1.0, numpy.maximum(candidates, 1 - candidates))
        return cls(candidates, bound, bound, level)

    @classmethod
    def of_difference(
        cls, width: float = 1.0, low: float = -2.0, high: float = 2.0, level: float = LEVEL
    ) -> "ConfidenceSequence":
        """
        For the difference of two faithfulness scores: gains are value - other value on the same text, and
        |gain - b * room| is at most width * (1 + |b|).
        """
        candidates = numpy.linspace(low, high, STEPS + 1)
        bound = width * (1 + numpy.abs(candidates))
        return cls(candidates, bound, bound, level)

    def update(self, gains: numpy.ndarray, rooms: numpy.ndarray | float = 1.0) -> Interval:
        """Add texts in their random order, one or more; returns the interval. Shape of both: (texts,)"""
        gains = numpy.atleast_1d(numpy.asarray(gains, dtype=float))
        rooms = numpy.broadcast_to(numpy.asarray(rooms, dtype=float), gains.shape)
        for start in range(0, len(gains), BLOCK):
            block = slice(start, start + BLOCK)
            self._bet(gains[block, None] - self.candidates * rooms[block, None])
        return self.interval

    def _bet(self, d: numpy.ndarray) -> None:
        """Bet on some texts. Shape: (texts, candidates)"""
        # Rounding may take a value slightly out of its range; a comparison with NaN is false.
        slack = ROUNDING * self._span
        if not ((d >= -self.below - slack) & (d <= self.above + slack)).all():
            raise ValueError("a text is outside the limits of the confidence sequence")
        d = numpy.clip(d, -self.below, self.above)
        number = self.texts + numpy.arange(1, len(d) + 1)[:, None]
        fraction = (d + self.below) / self._span
        sums = self._sum + fraction.cumsum(axis=0)
        squares = (fraction - (0.5 + sums) / (number + 1)) ** 2
        squares = self._squares + squares.cumsum(axis=0)
        # A bet is made before its text is seen.
        variance = (0.25 + numpy.vstack([self._squares, squares[:-1]])) / number
        limit = 2 * math.log(2 / (1 - self.level))
        bets = numpy.sqrt(limit / (variance * number * numpy.log1p(number))) / self._span
        for side, (sign, most_lost) in enumerate(((1, self.below), (-1, self.above))):
            with numpy.errstate(divide="ignore"):
                stakes = numpy.minimum(bets, STAKE / most_lost)
            capital = self._log_capital[side] + numpy.log1p(stakes * sign * d).cumsum(axis=0)
            self._most[side] = numpy.maximum(self._most[side], capital.max(axis=0))
            self._log_capital[side] = capital[-1]
        self.texts += len(d)
        self._sum, self._squares = sums[-1], squares[-1]

    @property
    def interval(self) -> Interval:
        """
        The intersection of all intervals so far. A candidate is excluded from below with all that are less, so
        that no shape of the capital over the candidates, nor their distance, can make it too short.
        """
        excluded = self._most >= math.log(2 / (1 - self.level))
        # The last of the leading excluded candidates; the limit if there is none.
        low = int(numpy.argmin(numpy.append(excluded[0], False))) - 1
        high = int(numpy.argmin(numpy.append(excluded[1, ::-1], False))) - 1
        candidates = self.candidates
        return Interval(float(candidates[max(low, 0)]), float(candidates[::-1][max(high, 0)]))


def anytime_interval(values: numpy.ndarray, width: float = 1.0, level: float = LEVEL) -> Interval:
    """
    Of the mean of values of texts in random order, at all numbers of texts at once; NaN is no value. Whether it
    excludes 0 is exact. Values beyond +-width are clipped: no text counts more than that. Shape: (texts,)
    """
    candidates = width * numpy.linspace(-1, 1, STEPS + 1)
    # Next to 0 on either side, so that an interval can end there.
    candidates = numpy.sort([*candidates[candidates != 0], -ROUNDING * width, ROUNDING * width])
    sequence = ConfidenceSequence(candidates, width + candidates, width - candidates, level)
    return sequence.update(numpy.clip(values[~numpy.isnan(values)], -width, width))
