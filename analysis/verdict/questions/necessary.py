"""Are the words with large weights necessary for the prediction? Remove them and ask the model."""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy

from analysis.statistics.samples import rescale
from analysis.verdict.decision import load_bounds
from analysis.verdict.inputs import ATTENTION, VerdictInputs
from analysis.verdict.means import Mean
from analysis.verdict.question import (
    Answer,
    Case,
    Evidence,
    Finding,
    Question,
    Requirements,
    decide,
    with_doubt,
)
from analysis.verdict.scores import COMPREHENSIVENESS, scales_of
from analysis.written import Interval, number
from attention_explain.files.faithfulness import RANDOM, RELEVANCE, SEARCH

YES, PARTLY = (load_bounds()["removal"][name] for name in ("yes", "partly"))
BOUND = (
    f"Yes if the score is above {YES} for every removal method; partly if it is below {YES} and above {PARTLY} "
    f"for every one; no if it is below {YES} for every one and not surely above {PARTLY}."
)
CAVEAT = (
    "Not part of the verdict. The measure rewards direction: an unsigned ranking removes words for and against the "
    "class together. The line marks the ranking by relevance, which ignores direction; without it, the best other "
    "unsigned method."
)


class ByRemoval(Question):
    """A question that one measure answers, for each removal method."""

    removal_measure: ClassVar[str]
    removing: ClassVar[str]
    bound = BOUND
    caveat = CAVEAT

    def answer(self, case: Case) -> Finding:
        scores = _scores(case.inputs, self.removal_measure)
        if ATTENTION not in scores:
            return self.not_asked(f"no faithfulness file has `{self.removal_measure}`")
        pooled = {
            name: Mean.of(numpy.mean(list(each.values()), axis=0)) for name, each in scores.items()
        }
        by_removal = {removal: Mean.of(each) for removal, each in scores[ATTENTION].items()}
        decision = decide(list(by_removal.values()), rule)
        own = pooled[ATTENTION].estimate
        reference = pooled.pop(RELEVANCE, None)
        ranked = sorted(pooled, key=lambda name: -pooled[name].estimate.mean)
        others = [name for name in ranked if name != ATTENTION]
        unsigned = [name for name in others if not case.inputs.attributions.files[0].signed(name)]
        compared = [
            f"the {what}, {name}, {number(pooled[name].estimate.mean)}"
            for what, names in {
                "best other unsigned method": unsigned,
                "best other method": others,
            }.items()
            for name in names[:1]
        ]
        if reference is not None:
            at = reference.estimate.mean
            compared.append(f"the ranking by relevance {number(at)}")
        elif unsigned:
            at = pooled[unsigned[0]].estimate.mean
        else:
            at = math.nan
        return Finding(
            self,
            decision,
            own,
            f"{self.removing} scores {with_doubt(own, decision.answer)}"
            + (f"; {', '.join(compared)}" if compared else ""),
            Evidence(
                [(name, pooled[name].estimate) for name in ranked],
                [(0.0, PARTLY, "no"), (PARTLY, YES, "partly"), (YES, 1.0, "yes")],
                "score: 0 = random order, 1 = best order found",
                []
                if math.isnan(at)
                else [(at, "best unsigned" if reference is None else "by relevance")],
            ),
        )


class Necessary(ByRemoval):
    name = "necessary"
    title = "its top words are necessary?"
    column = "necessary"
    measure = "comprehensiveness score (0 = random order, 1 = best order found)"
    papers = ("DeYoung et al. 2020", "Zhou & Shah 2022")
    requires = Requirements(measures=(COMPREHENSIVENESS,))
    removal_measure = COMPREHENSIVENESS
    removing = "removing its top words"


def _scores(inputs: VerdictInputs, measure: str) -> dict[str, dict[str, numpy.ndarray]]:
    """By method and removal method, numbers whose mean is the score. Shape of each: (seeds, texts)"""
    scales = scales_of(inputs, measure)
    methods = [
        name
        for name in (scales[0].methods if scales else [])
        if all(name in each.methods for each in scales)
    ]
    if scales and all(RELEVANCE in each.values for each in scales):
        methods.append(RELEVANCE)
    scores = {
        name: {
            each.measure.removal: rescale(
                each.values[name], each.values[RANDOM], each.values[SEARCH]
            )
            for each in scales
        }
        for name in methods
    }
    return {
        name: each
        for name, each in scores.items()
        if not any(numpy.isnan(values).all() for values in each.values())
    }


def rule(intervals: Sequence[Interval]) -> Answer:
    """From one interval per removal method."""
    if all(each.low > YES for each in intervals):
        return Answer.YES
    if all(each.high < YES for each in intervals):
        more = all(each.low > PARTLY for each in intervals)
        return Answer.PARTLY if more else Answer.NO
    if any(each.low > YES for each in intervals) and any(each.high < YES for each in intervals):
        return Answer.DEPENDS
    return Answer.INCONCLUSIVE
