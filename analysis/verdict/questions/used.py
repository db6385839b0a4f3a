"""Does the model use its attention? If other weights give the same output, it does not need these."""

from collections.abc import Sequence

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

# Other weights, and the perturbation of attention over hidden states, or else of all heads, that gives them:
# the share of predictions that they change decides.
CHANGES = (
    {"uniform weights": "uniform"},
    {
        "uniform weights in all heads": "uniform-heads",
        "permuted weights in all heads": "permuted-heads",
    },
)
# How far the output moves: the perturbation and the column of its file. Those that decide come first.
MOVES = {
    "output, uniform weights": ("uniform", "tvd"),
    "output, permuted weights": ("permutation", "median_tvd"),
    "output, uniform weights in all heads": ("uniform-heads", "tvd"),
    "output, permuted weights in all heads": ("permuted-heads", "tvd"),
    "output, all heads off": ("heads-off", "tvd"),
    "output, largest weight 0": ("drop-top", "top_tvd"),
    "output, random weight 0": ("drop-top", "random_tvd"),
}
DECIDING = ("uniform", "permutation", "uniform-heads", "permuted-heads")


class Used(Question):
    name = "used"
    title = "used by the model?"
    column = "used"
    measure = "share of texts whose prediction changes with uniform weights"
    heads_measure = "share of texts whose prediction changes with uniform or permuted weights in all heads, the larger"
    bound = (
        f"Yes if uniform weights change the prediction of more than {percent(FEW)} of texts; for a "
        "transformer, uniform or permuted weights in all heads. If they change fewer: partly if uniform or "
        f"permuted weights move the output by more than {FEW} (total variation), no if they do not. If they "
        "surely change fewer, a yes of the verdict becomes a partly."
    )
    caveat = (
        "Weights that the prediction does not need may still be informative, and the other way round: "
        "whether attention finds the words that matter is a question of its own. A transformer is not "
        "trained for other weights in its heads."
    )
    papers = ("Wiegreffe & Pinter 2019", "Jain & Wallace 2019", "Serrano & Smith 2019")
    requires = Requirements(
        perturbations=(
            *("uniform", "permutation", "drop-top"),
            *("uniform-heads", "permuted-heads", "heads-off"),
        )
    )
    objection = "this model barely uses its attention"

    def answer(self, case: Case) -> Finding:
        changes = changed_predictions(case.inputs)
        if not changes:
            return self.not_asked(
                "no other weights were tried (no perturbation file with `uniform` or `uniform-heads`)"
            )
        moves: dict[str, Mean] = {}
        deciding: list[Mean] = []
        for label, (perturbation, column) in MOVES.items():
            values = case.inputs.perturbation_values(perturbation, column)
            if values is not None:
                moves[label] = Mean.of(values, limits=(0.0, 1.0))
                if perturbation in DECIDING:
                    deciding.append(moves[label])

        def rule_of_shares(intervals: Sequence[Interval]) -> Answer:
            return rule(intervals, len(changes))

        shares = {label: percent(each.estimate.mean) for label, each in changes.items()}
        if len(shares) == 1:
            ((label, share),) = shares.items()
            sentence, most = f"{label} change the prediction of {share} of texts", "by"
        else:
            of_each = [f"{share} ({label.split()[0]})" for label, share in shares.items()]
            others = f"other weights in all heads change the prediction of {' and '.join(of_each)}"
            sentence, most = f"{others} of texts", "by up to"
        if deciding:
            moved = max(mean.estimate.mean for mean in deciding[: len(changes)])
            sentence += f" and move the output {most} {number(moved)}"
        return Finding(
            self,
            decide([*changes.values(), *deciding], rule_of_shares),
            max((change.estimate for change in changes.values()), key=lambda each: each.mean),
            sentence,
            Evidence(
                [
                    *(
                        (f"prediction, {label}", change.estimate)
                        for label, change in changes.items()
                    ),
                    *((label, mean.estimate) for label, mean in moves.items()),
                ],
                [(0.0, FEW, "no"), (FEW, 1.0, "yes")],
                "share of texts; output: total variation",
            ),
            measure=self.heads_measure if len(changes) > 1 else "",
            objects=barely_used(case.inputs),
        )


def changed_predictions(inputs: VerdictInputs) -> dict[str, Mean]:
    """The share of texts whose prediction changes, by the other weights; empty if none were tried."""
    for other_weights in CHANGES:
        values = {
            label: inputs.perturbation_values(perturbation, "flip")
            for label, perturbation in other_weights.items()
        }
        found = {
            label: Mean.of(flips, share=True)
            for label, flips in values.items()
            if flips is not None
        }
        if found:
            return found
    return {}


def barely_used(inputs: VerdictInputs) -> bool | None:
    """Whether other weights surely change few predictions; None if it is not known."""
    changes = changed_predictions(inputs).values()
    if not changes:
        return None
    return all(not each.texts_missing and each.estimate.high < FEW for each in changes)


def predictions_depend(inputs: VerdictInputs) -> bool | None:
    """Whether other weights change more than a few predictions of these texts; None if not known."""
    changes = changed_predictions(inputs).values()
    return any(each.estimate.mean > FEW for each in changes) if changes else None


def rule(intervals: Sequence[Interval], shares: int = 1) -> Answer:
    """
    From the shares of texts whose prediction changes, which come first, then from how far the output moves.
    """
    changes, moves = intervals[:shares], intervals[shares:]
    if any(change.low > FEW for change in changes):
        return Answer.YES
    if not all(change.high < FEW for change in changes):
        return Answer.INCONCLUSIVE
    if any(move.low > FEW for move in moves):
        return Answer.PARTLY
    return Answer.NO if all(move.high < FEW for move in moves) else Answer.INCONCLUSIVE
