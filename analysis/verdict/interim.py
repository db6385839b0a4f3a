"""
The decision of a verdict while texts are added: with intervals that hold at all numbers of texts at once
(`analysis.statistics.confidence_sequences`), so that it can be asked for after every step.

The first texts set the scale of the bets, which begin with the next one. The verdict itself is then written with its
usual intervals: it is wrong at most as often as this decision and an interval for a fixed number of texts are
together.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy

from analysis.statistics.confidence_sequences import anytime_interval
from analysis.statistics.intervals import mean_of_known
from analysis.verdict.decision import IntervalOfMean, RelevanceDecision, RelevanceValues
from analysis.verdict.inputs import load_inputs
from analysis.verdict.question import NOT_KNOWN, Answer
from analysis.verdict.scores import score_methods
from analysis.verdict.verdict import decide
from analysis.written import Estimate, Interval
from attention_explain.files.stopping import FIRST, seeded_order


@dataclass(frozen=True)
class Interim:
    """
    The decision so far.

    score : attention's score.
    decided : whether more texts would surely not change the answer.
    more_texts_help : whether more texts can give an answer.
    """

    texts: int
    answer: Answer
    score: Estimate
    decided: bool
    more_texts_help: bool

    def __str__(self) -> str:
        return f"{self.texts} texts: attention scores {self.score}, {self.answer} so far"


def interim(folder: Path, seed: int | None) -> Interim:
    """The decision from the files of a verdict, whose texts were added in the order of this seed."""
    inputs = load_inputs(folder)
    if inputs.nothing:
        # More texts may show a difference from the majority class.
        return Interim(inputs.texts, Answer.INCONCLUSIVE, NOT_KNOWN, False, True)
    scores = score_methods(inputs)
    order = seeded_order(inputs.attributions.files[0].texts["id"].tolist(), seed)
    if not scores.relevance:
        return Interim(inputs.texts, Answer.INCONCLUSIVE, NOT_KNOWN, False, False)
    decision = decide(inputs, scores, over_all_numbers(list(scores.relevance.values()), order))
    assert decision is not None
    return from_decision(decision, inputs.texts)


def from_decision(decision: RelevanceDecision, texts: int) -> Interim:
    """What a decision with intervals over all numbers of texts says about adding texts."""
    known, more = decision.answer != Answer.INCONCLUSIVE, decision.more_texts_help
    return Interim(texts, decision.answer, decision.score, known and not more, more)


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
