"""
The decision of a verdict while texts are added: with intervals that hold at all numbers of texts at once
(`analysis.statistics.confidence_sequences`), so that it can be asked for after every step.

The first texts set the scale of the bets, which begin with the next one. The first verdict of a folder is written with
intervals for a fixed number of texts, since the sequence hardly ever stops too early; later ones, after more texts, with
these intervals (`analysis.verdict.verdict.judge`).
"""

from dataclasses import dataclass
from pathlib import Path

from analysis.verdict.decision import RelevanceDecision
from analysis.verdict.inputs import load_inputs
from analysis.verdict.question import NOT_KNOWN, Answer
from analysis.verdict.scores import score_methods
from analysis.verdict.verdict import decide, interval_over_all_numbers
from analysis.written import Estimate


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
    if not scores.relevance:
        return Interim(inputs.texts, Answer.INCONCLUSIVE, NOT_KNOWN, False, False)
    decision = decide(inputs, scores, interval_over_all_numbers(inputs, scores, seed))
    assert decision is not None
    return from_decision(decision, inputs.texts)


def from_decision(decision: RelevanceDecision, texts: int) -> Interim:
    """What a decision with intervals over all numbers of texts says about adding texts."""
    known, more = decision.answer != Answer.INCONCLUSIVE, decision.more_texts_help
    return Interim(texts, decision.answer, decision.score, known and not more, more)
