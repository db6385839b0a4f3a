"""All methods ranked by score, and the one to show, by the rule of docs/explanation/verdict-rule.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy
from scipy.stats import norm

from analysis.statistics.intervals import texts_with_values
from analysis.statistics.significance import ALPHA, holm, paired_in_one_model
from analysis.verdict.decision import RelevanceDecision, load_bounds
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
from analysis.verdict.questions.direction import agreement_of_signs, gives_direction
from analysis.verdict.questions.specific import ignores_model
from analysis.verdict.scores import FaithfulnessScores
from analysis.written import Estimate
from attention_explain.costs import Passes

AS_GOOD, AS_CHEAP = (load_bounds()["recommend"][name] for name in ("as_good", "as_cheap"))


@dataclass(frozen=True)
class RankedMethod:
    """
    score : 0 for random orders, 1 for the best order.
    passes : through the model, per text.
    group : methods with the same number are not significantly worse than the best of them.
    above_chance : surely, for every removal method.
    ignores_model : it was found to give the same scores in a randomised model.
    texts_needed : the number of texts that would separate it from the best of its group, if any would.
    signed : whether its scores have a sign: for or against the class.
    direction : agreement of its signs with the words' effects (0 = coin, 1 = always); None if it is unsigned
        or that was not measured.
    says_direction : whether that is surely above the bound.
    """

    name: str
    score: Estimate
    passes: Passes
    group: int
    above_chance: bool = True
    ignores_model: bool = False
    texts_needed: int | None = None
    signed: bool = False
    direction: Estimate | None = None
    says_direction: bool = False

    @property
    def cost(self) -> str:
        """In words: `1 forward and 1 backward pass`."""
        forward, backward = (
            two_digits(each) for each in (self.passes.forward, self.passes.backward)
        )
        several = "pass" if (backward if self.passes.backward else forward) == "1" else "passes"
        both = f"{forward} forward and {backward} backward"
        return f"{both if self.passes.backward else f'{forward} forward'} {several}"

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        direction = self.direction
        return {
            "name": self.name,
            "signed": self.signed,
            "score": self.score.mean,
            "low": self.score.low,
            "high": self.score.high,
            "direction": direction and direction.mean,
            "direction_low": direction and direction.low,
            "direction_high": direction and direction.high,
            "forward": self.passes.forward,
            "backward": self.passes.backward,
            "group": self.group,
            "texts_needed": self.texts_needed,
        }


@dataclass(frozen=True)
class Recommendation:
    """
    method : for the words that matter; None if no method can be recommended.
    why : the reason.
    direction : for the direction of each word, if any method gives one.
    """

    method: str | None
    why: str
    direction: str | None = None


def rank_methods(
    inputs: VerdictInputs, scores: FaithfulnessScores, decision: RelevanceDecision | None
) -> list[RankedMethod]:
    """The best first."""
    groups = group_methods(scores)
    agreements, directions = agreement_of_signs(inputs) or {}, gives_direction(inputs)
    return [
        RankedMethod(
            name,
            decision.score_of(name) if decision else scores.score(name).estimate,
            inputs.passes(name),
            groups[name].number,
            all(
                usable(mean.estimate.interval).low > 0
                for mean in scores.by_removal_method(name).values()
            ),
            ignores_model(inputs, name),
            groups[name].texts_needed,
            inputs.attributions.files[0].signed(name),
            agreements[name].estimate if name in agreements else None,
            name in directions,
        )
        for name in scores.methods
    ]


def recommend(methods: Sequence[RankedMethod], scores: FaithfulnessScores) -> Recommendation:
    """
    Candidates are the methods that are surely better than chance for every removal method and that were
    not found to ignore the model. Of those that are surely no further than `AS_GOOD` behind the best
    candidate, take the ones with few passes; of these, those that also give a direction, if there are any; of
    these, the best. Too few texts recommend none.
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
    cheap = _cheap(as_good)
    chosen = next((each for each in cheap if each.says_direction), cheap[0])
    if chosen is best:
        why = "it has the highest score" + _equals(best, methods)
    else:
        more = [
            f"it needs {chosen.cost} per text instead of {best.cost}" if best not in cheap else "",
            "it also gives the direction" if chosen.says_direction > best.says_direction else "",
        ]
        why = " and ".join(
            [f"its score is at most {AS_GOOD} below that of {best.name}", *filter(None, more)]
        )
    if not chosen.score.low > HALF:
        why += f"; but its score may be below {HALF} ({chosen.score})"
    return Recommendation(chosen.name, why, _for_direction(candidates, chosen))


def _cheap(methods: Sequence[RankedMethod]) -> list[RankedMethod]:
    """The methods with at most `AS_CHEAP` times as many passes as the cheapest."""
    least = min(each.passes.in_forwards for each in methods)
    return [each for each in methods if each.passes.in_forwards <= AS_CHEAP * least]


def _for_direction(candidates: Sequence[RankedMethod], chosen: RankedMethod) -> str | None:
    """The method to show for the direction: the chosen one, or the best cheap one that gives a direction."""
    if chosen.says_direction:
        return chosen.name
    several = {
        each: each.direction.mean for each in candidates if each.says_direction and each.direction
    }
    highest = max(several.values(), default=0.0)
    as_good = [each for each, mean in several.items() if mean >= highest - AS_GOOD]
    return _cheap(as_good)[0].name if as_good else None


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
