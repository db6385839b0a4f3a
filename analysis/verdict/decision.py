"""
The decision whether attention finds the words that matter, from values per text. Every condition is the sign of a
mean over texts, so that the interval may be for a fixed number of texts or for texts that are added one by one.
"""

import math
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy
from scipy.stats import t

from analysis.statistics.confidence_sequences import anytime_interval
from analysis.statistics.intervals import LEVEL, intervals, mean_of_known, texts_with_values
from analysis.verdict.answers import Answer
from analysis.verdict.means import LEAST_TEXTS, has_zero_width
from analysis.written import Estimate, Interval
from attention_explain.files.stopping import FIRST

BOUNDS_FILE = Path(__file__).with_name("bounds.toml")
ATTENTION = "attention"
# Between-removal variance is estimated from at least this number of removal methods.
LEAST_REMOVALS = 3
# Scores are searched for between these ends, with this precision.
SCORES, PRECISION = (-2.0, 2.0), 1e-4
# The interval of the mean of values, over texts or over texts and seeds. Shape: (seeds, texts) -> interval
IntervalOfMean = Callable[[numpy.ndarray], Interval]


@dataclass(frozen=True)
class Bounds:
    """The bounds of the answer, as `bounds.toml` describes them."""

    yes: float
    partly: float
    close: float
    reliability: float


def load_bounds() -> dict[str, Any]:
    """The content of `bounds.toml`."""
    return tomllib.loads(BOUNDS_FILE.read_text(encoding="utf-8"))


BOUNDS = Bounds(**load_bounds()["where"])


class Reason(Enum):
    """Why the decision is what it is, where the answer alone does not say so."""

    NONE = "none"
    FEW_TEXTS = "too few texts"
    UNRELIABLE = "the relevance of words is not reliable"
    BOUNDS = "the interval contains a bound"
    EQUAL_VALUES = "an interval of zero width decides nothing"
    REMOVALS = "removal methods disagree"
    BEHIND = "far behind the best method"
    NOT_MEASURED = "relevance was not measured"
    NOTHING = "there is nothing to judge"


@dataclass(frozen=True)
class RelevanceValues:
    """
    Values of the measure `relevance` for one removal method, on the same texts; NaN where undefined.

    random, best : the expected value of a random order, and that of the words sorted by relevance.
    methods : by method, attention among them.

    The shape of each is (texts,), or (seeds, texts).
    """

    random: numpy.ndarray
    best: numpy.ndarray
    methods: Mapping[str, numpy.ndarray]

    def above(self, method: str) -> numpy.ndarray:
        """How far a method is above a random order."""
        return numpy.atleast_2d(self.methods[method] - self.random)

    @property
    def room(self) -> numpy.ndarray:
        """How far the best order is above a random one."""
        return numpy.atleast_2d(self.best - self.random)


@dataclass(frozen=True)
class Comparison:
    """
    Attention compared with another method on the same texts.

    difference : by how much the other method scores higher.
    ratio : attention's score as a share of the other method's.
    """

    method: str
    difference: Estimate
    ratio: float


def over_texts(values: numpy.ndarray) -> Interval:
    """The interval over texts, of these trained models as they are."""
    return over_texts_and_seeds(mean_of_known(numpy.atleast_2d(values), 0))


def over_texts_and_seeds(values: numpy.ndarray) -> Interval:
    """The interval over texts and, with three or more seeds, over seeds."""
    found = intervals(numpy.atleast_2d(values)[None])
    return Interval(float(found.low[0]), float(found.high[0]))


def over_all_numbers(values: list[RelevanceValues], order: list[int]) -> IntervalOfMean:
    """
    The interval over all numbers of texts, for texts added in this order. Values of a ranking lie between 0 and
    `best`, so that a text's value above random, less a bound between 0 and 1 times its room, is at most `best` in
    size. Texts count at most as much as the largest of the first.
    """
    best = [_by_text(each.best)[order[:FIRST]] for each in values]
    width = float(numpy.nanmax(best, initial=0.0))

    def interval(each: numpy.ndarray) -> Interval:
        return anytime_interval(_by_text(each)[order[FIRST:]], width or 1.0)

    return interval


def _by_text(values: numpy.ndarray) -> numpy.ndarray:
    """The mean over seeds. Shape: (texts,)"""
    return mean_of_known(numpy.atleast_2d(values), 0)


@dataclass(frozen=True)
class RelevanceDecision:
    """
    Whether attention finds the words that matter.

    answer, reason : as the rule gives them.
    more_texts_help : whether more texts can change the answer.
    unsigned : the unsigned methods.
    """

    answer: Answer
    reason: Reason
    more_texts_help: bool
    texts: int = 0
    values: Mapping[str, RelevanceValues] = field(default_factory=dict, repr=False)
    unsigned: Collection[str] = ()
    interval: IntervalOfMean = field(default=over_texts, repr=False)
    reliability: float | None = None

    @property
    def texts_missing(self) -> int:
        """How many texts are missing for any answer."""
        return max(LEAST_TEXTS - self.texts, 0)

    @cached_property
    def score(self) -> Estimate:
        """Attention's score, pooled over removal methods."""
        return self.score_of(ATTENTION)

    def score_of(self, method: str) -> Estimate:
        """The score of a method, pooled over removal methods."""
        several = list(self.values.values())
        return _pooled_ratio(
            [each.above(method) for each in several],
            [each.room for each in several],
            self.interval,
        )

    @cached_property
    def by_removal(self) -> dict[str, Estimate]:
        """Attention's score for each removal method."""
        return {
            removal: _pooled_ratio([each.above(ATTENTION)], [each.room], self.interval)
            for removal, each in self.values.items()
        }

    @cached_property
    def best(self) -> Comparison | None:
        """With the best other method."""
        return self._compare(_best_method(self.values))

    @cached_property
    def best_unsigned(self) -> Comparison | None:
        """With the best other unsigned method."""
        return self._compare(_best_method(self.values, self.unsigned))

    def _compare(self, method: str | None) -> Comparison | None:
        if method is None:
            return None
        several = list(self.values.values())
        difference = _pooled_ratio(
            [each.above(method) - each.above(ATTENTION) for each in several],
            [each.room for each in several],
            self.interval,
        )
        own, other = (_mean_above(self.values, name) for name in (ATTENTION, method))
        return Comparison(method, difference, own / other if other > 0 else math.nan)


def decide_relevance(
    values: Mapping[str, RelevanceValues],
    unsigned: Collection[str] = (),
    interval: IntervalOfMean = over_texts,
    reliability: float | None = None,
    bounds: Bounds = BOUNDS,
) -> RelevanceDecision:
    """
    The answer from the values of all texts so far, by removal method.

    Each condition compares attention's score with a bound. It holds, or does not, if the intervals for all
    removal methods are on one side of the bound; otherwise if the interval of the pooled score is, widened by
    the variance between removal methods. If two removal methods are surely on different sides, the answer
    depends on how words are removed, unless attention is surely far behind the best method anyway.

    unsigned : the unsigned methods, for the comparison.
    reliability : the split-half reliability of the relevance of words, if it is known.
    """
    texts = min(
        int(texts_with_values(each.above(ATTENTION) - each.room)) for each in values.values()
    )

    def decision(answer: Answer, reason: Reason, more_texts_help: bool) -> RelevanceDecision:
        return RelevanceDecision(
            answer, reason, more_texts_help, texts, values, unsigned, interval, reliability
        )

    if texts < LEAST_TEXTS:
        return decision(Answer.INCONCLUSIVE, Reason.FEW_TEXTS, True)
    # A comparison with NaN is false: an unknown reliability is not a reliable one.
    if reliability is not None and not reliability >= bounds.reliability:
        return decision(Answer.INCONCLUSIVE, Reason.UNRELIABLE, False)
    yes, partly = (_side_of(values, bound, interval) for bound in (bounds.yes, bounds.partly))
    close = _side_of_best(values, bounds.close, interval)
    if partly.sign > 0 and close.sign < 0:
        # Not a yes, whichever side of its bound the score is on.
        reason = Reason.BEHIND if yes.sign > 0 else Reason.NONE
        return decision(Answer.PARTLY, reason, False)
    if yes.conflict or partly.conflict:
        return decision(Answer.DEPENDS, Reason.REMOVALS, False)
    if yes.sign > 0:
        return decision(Answer.YES, Reason.NONE, close.sign == 0 and close.more_texts_help)
    if yes.sign < 0 and partly.sign > 0:
        return decision(Answer.PARTLY, Reason.NONE, False)
    if yes.sign < 0:
        # Surely not a yes; with more texts it may turn out to be a partly.
        return decision(Answer.NO, Reason.NONE, partly.sign == 0 and partly.more_texts_help)
    equal = yes.equal_values or partly.equal_values
    reason = Reason.EQUAL_VALUES if equal else Reason.BOUNDS
    return decision(Answer.INCONCLUSIVE, reason, yes.more_texts_help and not equal)


@dataclass(frozen=True)
class _Side:
    """
    On which side of 0 a mean surely is.

    sign : 1 or -1; 0 if it is not known.
    conflict : whether two removal methods are surely on different sides.
    more_texts_help : whether more texts can tell.
    """

    sign: int
    conflict: bool = False
    more_texts_help: bool = False
    equal_values: bool = False


def _side_of(
    values: Mapping[str, RelevanceValues], bound: float, interval: IntervalOfMean
) -> _Side:
    """On which side of a bound attention's score is."""
    of_removals = [each.above(ATTENTION) - bound * each.room for each in values.values()]
    signs = {_sign(interval(each)) for each in of_removals}
    if {1, -1} <= signs:
        return _Side(0, conflict=True)
    return _Side(signs.pop()) if signs in ({1}, {-1}) else _side(of_removals, interval)


def _side_of_best(
    values: Mapping[str, RelevanceValues], share: float, interval: IntervalOfMean
) -> _Side:
    """On which side of a share of the best method's score attention's score is."""
    best = _best_method(values)
    if best is None:
        return _Side(1)
    return _side(
        [each.above(ATTENTION) - share * each.above(best) for each in values.values()], interval
    )


def _side(of_removals: Sequence[numpy.ndarray], interval: IntervalOfMean) -> _Side:
    """On which side of 0 the mean over removal methods is."""
    found, between = _pooled(of_removals, interval)
    mean = float(mean_of_known(numpy.mean(of_removals, axis=0), (0, 1)))
    equal = has_zero_width(found)
    return _Side(_sign(found), False, abs(mean) > between and not equal, equal)


def _sign(interval: Interval) -> int:
    if has_zero_width(interval):
        return 0
    return int(interval.low > 0) - int(interval.high < 0)


def _pooled(
    of_removals: Sequence[numpy.ndarray], interval: IntervalOfMean
) -> tuple[Interval, float]:
    """The interval of the mean over removal methods, and the part that more texts do not shorten."""
    pooled = numpy.mean(of_removals, axis=0)
    found = interval(pooled)
    between = _between(of_removals)
    if not between or not found.known:
        return found, between
    mean = float(mean_of_known(pooled, (0, 1)))
    low = mean - math.hypot(mean - found.low, between)
    return Interval(low, mean + math.hypot(found.high - mean, between)), between


def _between(of_removals: Sequence[numpy.ndarray]) -> float:
    """
    Half the width of the interval of the mean due to the variance between removal methods, beyond what the sample of
    texts explains; 0 for fewer than `LEAST_REMOVALS`.
    """
    number = len(of_removals)
    if number < LEAST_REMOVALS:
        return 0.0
    # Shape: (removals, texts)
    by_text = numpy.array([mean_of_known(each, 0) for each in of_removals])
    deviations = by_text - by_text.mean(axis=0)
    known = ~numpy.isnan(deviations).any(axis=0)
    texts = int(known.sum())
    if texts < 2:
        return 0.0
    deviations = deviations[:, known]
    of_texts = (deviations.var(axis=1, ddof=1) / texts).sum() / (number - 1)
    variance = max(float(deviations.mean(axis=1).var(ddof=1) - of_texts), 0.0)
    return float(t.ppf((1 + LEVEL) / 2, number - 1)) * math.sqrt(variance / number)


def _pooled_ratio(
    above: Sequence[numpy.ndarray], room: Sequence[numpy.ndarray], interval: IntervalOfMean
) -> Estimate:
    """
    The ratio of two means, with the interval of all ratios that the test against 0 does not reject (Fieller 1954), so
    that it agrees with the decision.
    """
    known = ~numpy.isnan(numpy.mean(above, axis=0) + numpy.mean(room, axis=0))
    total = numpy.nansum(numpy.where(known, numpy.mean(room, axis=0), numpy.nan))
    if not total > 0:
        return Estimate(math.nan, math.nan, math.nan)
    ratio = float(numpy.nansum(numpy.where(known, numpy.mean(above, axis=0), numpy.nan)) / total)

    def at(score: float) -> Interval:
        pairs = zip(above, room, strict=True)
        return _pooled([one - score * other for one, other in pairs], interval)[0]

    if not at(ratio).known:
        return Estimate(ratio, math.nan, math.nan)
    low = _search(lambda score: at(score).low > 0, ratio, ratio + SCORES[0])
    high = _search(lambda score: at(score).high < 0, ratio, ratio + SCORES[1])
    return Estimate(ratio, low, high)


def _search(rejected: Callable[[float], bool], inside: float, outside: float) -> float:
    """The end of the scores that are not rejected; NaN if there is none."""
    if not rejected(outside):
        return math.nan
    while abs(outside - inside) > PRECISION:
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
    return (inside + outside) / 2


def _best_method(
    values: Mapping[str, RelevanceValues], among: Collection[str] | None = None
) -> str | None:
    """The method with the highest pooled score, other than attention."""
    first = next(iter(values.values()))
    names = [
        name
        for name in first.methods
        if name != ATTENTION and (among is None or name in among)
        if not math.isnan(_mean_above(values, name))
    ]
    return max(names, key=lambda name: _mean_above(values, name), default=None)


def _mean_above(values: Mapping[str, RelevanceValues], method: str) -> float:
    several = [each.above(method) for each in values.values()]
    return float(mean_of_known(numpy.mean(several, axis=0), (0, 1)))
