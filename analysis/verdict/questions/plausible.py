"""Does attention agree with the words that people mark? This says nothing about the model."""

from collections.abc import Sequence

import numpy

from analysis.measures.scores import Scores
from analysis.plausibility import orders
from analysis.plausibility.annotators import Annotators
from analysis.statistics.samples import rescale
from analysis.verdict.inputs import ATTENTION, VerdictInputs
from analysis.verdict.means import Mean
from analysis.verdict.question import (
    HALF,
    QUARTER,
    Answer,
    Case,
    Evidence,
    Finding,
    Question,
    compare,
    decide,
)
from analysis.written import Interval
from attention_explain.files.attributions import KNOWN, RATIONALE, markings


class Plausible(Question):
    name = "plausible"
    title = "plausible to people?"
    column = "plausible to people"
    measure = "average precision of the marked tokens, rescaled (0 = random order, 1 = all marked tokens first)"
    bound = (
        f"Yes if the rescaled average precision of the marked tokens is above {HALF}; partly from {QUARTER}; "
        "no below."
    )
    caveat = (
        "Not part of the verdict: which words people mark says nothing about the model (Jacovi & Goldberg "
        "2020)."
    )
    papers = ("DeYoung et al. 2020", "Jacovi & Goldberg 2020")
    option = "rationales"

    def answer(self, case: Case) -> Finding:
        inputs = case.inputs
        first = inputs.attributions.files[0]
        known = first.rationales == KNOWN
        title = "finds the ground-truth words?" if known else ""
        if RATIONALE not in first.table or not any(map(markings, first.table[RATIONALE])):
            return self.not_asked("no text has a rationale", title)
        agreement = agreement_with_rationales(inputs, ATTENTION)
        if not agreement.texts:
            return self.not_asked("no text with a rationale is explained for its label", title)
        whose = "the ground-truth words" if known else "the words that people marked"
        return Finding(
            self,
            decide([agreement], rule),
            agreement.estimate,
            f"it scores {agreement.estimate} (0 = random order, 1 = {whose} first)",
            Evidence(
                [
                    (name, agreement_with_rationales(inputs, name).estimate)
                    for name in first.methods
                ],
                [(0.0, QUARTER, "no"), (QUARTER, HALF, "partly"), (HALF, 1.0, "yes")],
                "average precision, rescaled: 0 = random order",
            ),
            title=title,
        )


def rule(intervals: Sequence[Interval]) -> Answer:
    """From the rescaled average precision."""
    return compare(intervals[0], QUARTER, HALF, Answer.NO, Answer.YES)


def agreement_with_rationales(inputs: VerdictInputs, method: str) -> Mean:
    """The rescaled average precision, over texts with a rationale that are explained for their gold label."""
    values = []
    for file in inputs.attributions.files:
        annotators = Annotators(file)

        def precision(scores: Scores, annotators: Annotators = annotators) -> numpy.ndarray:
            return annotators.mean(scores, lambda s, m: orders.average_precision(s, m.marked))

        constant = Scores.of(file.table["tokens"].map(lambda tokens: [0.0] * len(tokens)))
        reached = numpy.where(file.explains_gold, precision(file.scores(method)), numpy.nan)
        values.append((reached, precision(constant)))
    reached, chance = (numpy.array(each) for each in zip(*values, strict=True))
    return Mean.of(rescale(reached, chance, numpy.ones_like(reached)))
