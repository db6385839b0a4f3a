"""Does the model use its attention? If other weights give the same output, it does not need these."""

from collections.abc import Sequence

import numpy

from analysis.verdict.inputs import VerdictInputs
from analysis.verdict.means import Mean
from analysis.verdict.question import (
    FEW,
    Answer,
    Case,
    Evidence,
    Finding,
    Question,
    Requirements,
    decide,
    percent,
)
from analysis.written import Interval, number

# How far the output moves: the perturbation and the column of its file. Those that decide come first.
MOVES = {
    "output, uniform weights": ("uniform", "tvd"),
    "output, permuted weights": ("permutation", "median_tvd"),
    "output, largest weight 0": ("drop-top", "top_tvd"),
    "output, random weight 0": ("drop-top", "random_tvd"),
}
DECIDING = ("uniform", "permutation")


class Used(Question):
    name = "used"
    title = "used by the model?"
    column = "used"
    measure = "share of texts whose prediction changes with uniform weights"
    bound = (
        f"Yes if uniform weights change the prediction of more than {percent(FEW)} of texts. If they change "
        f"fewer: partly if uniform or permuted weights move the output by more than {FEW} (total variation), "
        "no if they do not. If they surely change fewer, a yes of the verdict becomes a partly."
    )
    caveat = (
        "Weights that the prediction does not need may still be informative, and the other way round: "
        "whether attention finds the words that matter is a question of its own."
    )
    papers = ("Wiegreffe & Pinter 2019", "Jain & Wallace 2019", "Serrano & Smith 2019")
    requires = Requirements(perturbations=("uniform", "permutation", "drop-top"))
    objection = "this model barely uses its attention"

    def answer(self, case: Case) -> Finding:
        flips = case.inputs.perturbation_values("uniform", "flip")
        if flips is None:
            return self.not_asked(
                "no other weights were tried (no perturbation file with `uniform`; a model that has only "
                "self-attention does not allow it)"
            )
        changes = Mean.of(flips, share=True)
        moves: dict[str, Mean] = {}
        deciding: list[Mean] = [changes]
        for label, (perturbation, column) in MOVES.items():
            values = case.inputs.perturbation_values(perturbation, column)
            if values is not None:
                moves[label] = Mean.of(values, limits=(0.0, 1.0))
                if perturbation in DECIDING:
                    deciding.append(moves[label])
        moved = deciding[1].estimate.mean if len(deciding) > 1 else None
        return Finding(
            self,
            decide(deciding, rule),
            changes.estimate,
            f"uniform weights change the prediction of {percent(changes.estimate.mean)} of texts"
            + ("" if moved is None else f" and move the output by {number(moved)}"),
            Evidence(
                [
                    ("prediction, uniform weights", changes.estimate),
                    *((label, mean.estimate) for label, mean in moves.items()),
                ],
                [(0.0, FEW, "no"), (FEW, 1.0, "yes")],
                "share of texts; output: total variation",
            ),
            objects=barely_used(case.inputs),
        )


def barely_used(inputs: VerdictInputs) -> bool | None:
    """Whether uniform weights surely change few predictions; None if it is not known."""
    flips = inputs.perturbation_values("uniform", "flip")
    if flips is None:
        return None
    changes = Mean.of(flips, share=True)
    return not changes.texts_missing and changes.estimate.high < FEW


def predictions_depend(inputs: VerdictInputs) -> bool | None:
    """Whether uniform weights change more than a few predictions of these texts; None if not known."""
    flips = inputs.perturbation_values("uniform", "flip")
    return None if flips is None else bool(numpy.nanmean(flips) > FEW)


def rule(intervals: Sequence[Interval]) -> Answer:
    """From the share of texts whose prediction changes, then from how far the output moves."""
    changes, *moves = intervals
    if changes.low > FEW:
        return Answer.YES
    if not changes.high < FEW:
        return Answer.INCONCLUSIVE
    if any(move.low > FEW for move in moves):
        return Answer.PARTLY
    return Answer.NO if all(move.high < FEW for move in moves) else Answer.INCONCLUSIVE
