"""Does the model use its attention? If other weights do the same, it does not need these."""

from typing import Dict, List, Sequence

from analysis.verdict.answers import (
    FEW,
    NOT_KNOWN,
    Answer,
    Evidence,
    Question,
    decide,
    percent,
)
from analysis.verdict.files import Files
from analysis.verdict.means import Mean
from analysis.written import Interval, number

WORDS = "used by the model?"
MEASURE = "share of texts whose prediction changes with uniform weights"
BOUND = (
    f"Yes if uniform weights change the prediction of more than {percent(FEW)} of texts; if of fewer, "
    f"partly if uniform or permuted weights move the output by more than {FEW} (total variation), and no "
    "if they do not."
)
CAVEAT = (
    "What is not needed for the prediction may still be there to be read, and the other way round: "
    "that is the question whether it points to what matters."
)
PAPERS = ("Wiegreffe & Pinter 2019", "Jain & Wallace 2019", "Serrano & Smith 2019")
# How far the output moves: those that decide first.
MOVES = {
    "output, uniform weights": ("uniform", "tvd"),
    "output, permuted weights": ("permutation", "median_tvd"),
    "output, largest weight 0": ("drop-top", "top_tvd"),
    "output, another weight 0": ("drop-top", "random_tvd"),
}
DECIDING = ("uniform", "permutation")


def answered(intervals: Sequence[Interval]) -> Answer:
    """Of the share of texts whose prediction changes, then of how far the output moves."""
    changes, *moves = intervals
    if changes.low > FEW:
        return Answer.YES
    if not changes.high < FEW:
        return Answer.UNKNOWN
    if any(move.low > FEW for move in moves):
        return Answer.PARTLY
    return Answer.NO if all(move.high < FEW for move in moves) else Answer.UNKNOWN


def not_asked(why: str) -> Question:
    """Without its answer."""
    return Question("used", WORDS, Answer.UNKNOWN, MEASURE, NOT_KNOWN, BOUND, why, CAVEAT, PAPERS)


def is_used(files: Files) -> Question:
    flips = files.perturbed_by("uniform", "flip")
    if flips is None:
        return not_asked(
            "nobody tried other weights (there is no perturbation file with `uniform`; a model with "
            "self-attention alone has none to try)"
        )
    changes = Mean.of(flips, share=True)
    moves: Dict[str, Mean] = {}
    deciding: List[Mean] = [changes]
    for name, (perturbation, field) in MOVES.items():
        values = files.perturbed_by(perturbation, field)
        if values is not None:
            moves[name] = Mean.of(values, limits=(0.0, 1.0))
            if perturbation in DECIDING:
                deciding.append(moves[name])
    decision = decide(deciding, answered)
    moved = deciding[1].estimate.mean if len(deciding) > 1 else None
    return Question(
        "used",
        WORDS,
        decision.answer,
        MEASURE,
        changes.estimate,
        BOUND,
        f"uniform weights change the prediction of {percent(changes.estimate.mean)} of texts"
        + ("" if moved is None else f", and move the output by {number(moved)}"),
        CAVEAT,
        PAPERS,
        decision.texts_needed,
        Evidence(
            [
                ("prediction, uniform weights", changes.estimate),
                *((name, mean.estimate) for name, mean in moves.items()),
            ],
            [(0.0, FEW, "no"), (FEW, 1.0, "yes")],
            "share of texts; output: total variation",
        ),
        decision.texts_missing,
        decision.equal_values,
    )
