"""All methods ranked by faithfulness score, and the one to show, by the rule of docs/explanation/verdict-rule.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy
from scipy.stats import norm

from analysis.statistics.intervals import texts_with_values
from analysis.statistics.significance import ALPHA, holm, paired_in_one_model
from analysis.verdict.inputs import VerdictInputs
from analysis.verdict.means import (
    LEAST_TEXTS,
    MOST_TEXTS,
    ZERO_WIDTH,
    round_up,
    texts_needed,
    too_few,
    usable,
)
from analysis.verdict.question import HALF
from analysis.verdict.questions.specific import ignores_model
from analysis.verdict.scores import FaithfulnessScores
from analysis.written import Estimate

# A method whose score is surely no further behind the best is as good for readers.
AS_GOOD = 0.05
# A method that takes at most this many times as long as the fastest is as fast: timings vary.
AS_FAST = 2.0


@dataclass(frozen=True)
class RankedMethod:
    """
    score : 0 for random orders, 1 for the best order found.
    milliseconds : per text; None if the files have no timings.
    group : methods with the same number are not significantly worse than the best of them.
    above_chance : surely, for every removal method.
    ignores_model : it was found to give the same scores in a randomised model.
    texts_needed : the number of texts that would separate it from the best of its group, if any would.
    signed : whether its scores have a sign: for or against the class.
    """

    name: str
    score: Estimate
    milliseconds: float | None
    group: int
    above_chance: bool = True
    ignores_model: bool = False
    texts_needed: int | None = None
    signed: bool = False

    @property
    def cost(self) -> str:
        """In words; empty if it is not known."""
        return "" if self.milliseconds is None else f"{two_digits(self.milliseconds)} ms per text"

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "name": self.name,
            "signed": self.signed,
            "score": self.score.mean,
            "low": self.score.low,
            "high": self.score.high,
            "milliseconds": self.milliseconds,
            "group": self.group,
            "texts_needed": self.texts_needed,
        }


@dataclass(frozen=True)
class Recommendation:
    """method : None if no method can be recommended; `why` gives the reason."""

    method: str | None
    why: str


def rank_methods(inputs: VerdictInputs, scores: FaithfulnessScores) -> list[RankedMethod]:
    """The best first."""
    groups = group_methods(scores)
    return [
        RankedMethod(
            name,
            scores.score(name).estimate,
            inputs.milliseconds(name),
            groups[name].number,
            all(
                usable(mean.estimate.interval).low > 0
                for mean in scores.by_removal_method(name).values()
            ),
            ignores_model(inputs, name),
            groups[name].texts_needed,
            inputs.attributions.files[0].signed(name),
        )
        for name in scores.methods
    ]


def recommend(methods: Sequence[RankedMethod], scores: FaithfulnessScores) -> Recommendation:
    """
    Candidates are the methods that are surely better than chance for every removal method and that were
    not found to ignore the model. Of those that are surely no further than `AS_GOOD` behind the best
    candidate, take the fast ones; of these, the best. Too few texts recommend none.
    """
    texts = min(scores.score(each.name).texts for each in methods)
    if texts < LEAST_TEXTS:
        return Recommendation(None, too_few(texts))
    candidates = [each for each in methods if each.above_chance and not each.ignores_model]
    if not candidates:
        return Recommendation(
            None, "no method is surely better than a random order for every removal method"
        )
    best = candidates[0]
    as_good = [
        each
        for each in candidates
        if each is best or scores.difference(best.name, each.name).estimate.high < AS_GOOD
    ]
    times = [each.milliseconds for each in as_good if each.milliseconds is not None]
    chosen = next(
        each
        for each in as_good
        if each.milliseconds is None or each.milliseconds <= AS_FAST * min(times)
    )
    if chosen is best:
        why = "it has the highest score" + _equals(best, methods)
    else:
        why = (
            f"its score is at most {AS_GOOD} below that of {best.name}, and it is faster "
            f"({chosen.cost} instead of {best.cost})"
        )
    if not chosen.score.low > HALF:
        why += f"; but its score may be below {HALF} ({chosen.score})"
    return Recommendation(chosen.name, why)


def _equals(best: RankedMethod, methods: Sequence[RankedMethod]) -> str:
    """The methods of the same group, and how many texts would separate the first of them."""
    same = [each for each in methods if each.group == best.group and each is not best]
    if not same:
        return ""
    more = f" and {len(same) - 3} more" if len(same) > 3 else ""
    names = ", ".join(each.name for each in same[:3])
    needed = same[0].texts_needed
    which = "" if len(same) == 1 else f" for {same[0].name}"
    texts = "" if needed is None else f" (about {round_up(needed)} texts would{which})"
    return f", though these texts do not separate it from {names}{more}{texts}"


@dataclass(frozen=True)
class Group:
    """
    number : methods with the same number are not significantly worse than the best of them.
    texts_needed : the number of texts that would separate a method from the best of its group, at the
        same means and spread; None for the best one itself, and if no number would.
    """

    number: int
    texts_needed: int | None = None


@dataclass(frozen=True)
class Difference:
    """
    The test of two methods.

    significant : whether the methods differ.
    times : how many times as many texts of the same kind the test would need; 1 or less if these are
        enough.
    """

    significant: bool
    times: float


def group_methods(scores: FaithfulnessScores) -> dict[str, Group]:
    """
    The group of each method. The first group is the best method and all that do not differ significantly
    from it; the second, the best of the others and all of them that do not differ from it; and so on. Two
    methods differ if the interval of their difference excludes 0 and the sign-flip test, its p-values
    adjusted for all pairs (Holm), is significant. Fewer than `LEAST_TEXTS` texts separate no methods, and
    neither does an interval of zero width.
    """
    differences = _differences(scores)
    groups: dict[str, Group] = {}
    left, number = scores.methods, 0
    while left:
        number += 1
        first, *others = left
        groups[first] = Group(number)
        for other in others:
            difference = differences[first, other]
            if not difference.significant:
                groups[other] = Group(number, _needed(scores, first, other, difference.times))
        left = [each for each in left if each not in groups]
    return groups


def _differences(scores: FaithfulnessScores) -> dict[tuple[str, str], Difference]:
    pairs = list(combinations(scores.methods, 2))
    if not pairs:
        return {}
    values = {method: scores.values(method) for method in scores.methods}
    first, second = (numpy.array([values[pair[side]] for pair in pairs]) for side in (0, 1))
    tested = paired_in_one_model(first, second)
    p_values = tested["p"]
    significant = (holm(p_values) <= ALPHA) & ((tested["low"] > 0) | (tested["high"] < 0))
    significant &= (tested["high"] - tested["low"] > ZERO_WIDTH) & (
        texts_with_values(first - second) >= LEAST_TEXTS
    )
    return dict(zip(pairs, map(Difference, significant.tolist(), _times(p_values)), strict=True))


def _times(p_values: numpy.ndarray) -> list[float]:
    """
    How many times as many texts each test would need, by the normal approximation, for Holm's procedure to
    reach and reject it: the square of the factor by which its statistic is too small. Smaller p-values come
    first.
    """
    order = numpy.argsort(p_values, kind="stable")
    left = len(order) - numpy.arange(len(order))
    with numpy.errstate(divide="ignore"):
        squares = (norm.isf(ALPHA / (2 * left)) / norm.isf(p_values[order] / 2)) ** 2
    times = numpy.empty(len(order))
    times[order] = numpy.maximum.accumulate(squares)
    return times.tolist()


def _needed(scores: FaithfulnessScores, first: str, other: str, times: float) -> int | None:
    """The number of texts for the interval to exclude 0 and for the test to be significant."""
    mean = scores.difference(first, other)
    of_test = mean.texts * times
    of_interval = texts_needed([mean], lambda intervals: usable(intervals[0]).low > 0)
    if of_interval is None or not of_test <= MOST_TEXTS:
        return None
    return max(of_interval, int(of_test) + 1, LEAST_TEXTS)


def two_digits(value: float) -> str:
    """Two significant digits: `0.38`, `1.2`, `31`, `1200`."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"
