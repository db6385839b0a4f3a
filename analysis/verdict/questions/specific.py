"""Is attention about this model? Scores that stay the same in a randomised model are not about its parameters."""

from collections.abc import Sequence

from analysis.faithfulness.scale import Measured
from analysis.verdict.inputs import ATTENTION, VerdictInputs
from analysis.verdict.means import Mean
from analysis.verdict.question import (
    HALF,
    QUARTER,
    Answer,
    Case,
    Decision,
    Evidence,
    Finding,
    Question,
    Requirements,
    compare,
    decide,
    with_doubt,
)
from analysis.written import Interval

RANDOMIZATION = "parameter_randomization"
# With all parameters randomised; without such rows, the mean over the layers on the way there is used.
ALL_RANDOMISED = f"{RANDOMIZATION}_embeddings"
CHANGES = {
    Answer.YES: "changes",
    Answer.NO: "stays much the same",
    Answer.PARTLY: "changes in part",
    Answer.INCONCLUSIVE: "may or may not change",
}


class Specific(Question):
    name = "specific"
    title = "about this model?"
    column = "about the model"
    measure = (
        "rank correlation with the scores of the same method after all parameters are randomised"
    )
    bound = (
        f"Yes if the rank correlation with the scores of a randomised model is below {QUARTER}; partly from "
        f"{QUARTER} to {HALF}; no above."
    )
    caveat = (
        "Scores can change with the model and still be wrong about it: this is a minimal test. It uses one "
        "random draw of the parameters; the interval is over texts."
    )
    papers = ("Adebayo et al. 2018",)
    requires = Requirements(measures=({"type": RANDOMIZATION, "intermediate": False},))
    objection = "its weights stay the same in a randomised model"

    def answer(self, case: Case) -> Finding:
        correlated = correlations(case.inputs)
        decision = decide_for(correlated, ATTENTION)
        if correlated is None or decision is None:
            return self.not_asked(
                f"no randomised model was tested (no faithfulness file has `{RANDOMIZATION}`)"
            )
        mean = _mean(correlated, ATTENTION).estimate
        everything = correlated.measure.name == ALL_RANDOMISED
        what = (
            "all parameters are randomised" if everything else "its layers are randomised in turn"
        )
        means = [(name, _mean(correlated, name)) for name in correlated.methods]
        return Finding(
            self,
            decision,
            mean,
            f"it {CHANGES[decision.answer]} when {what} "
            f"(rank correlation {with_doubt(mean, decision.answer)})",
            Evidence(
                [(name, each.estimate) for name, each in means if each.texts],
                [(0.0, QUARTER, "yes"), (QUARTER, HALF, "partly"), (HALF, 1.0, "no")],
                "rank correlation with the scores of a randomised model",
            ),
            measure=""
            if everything
            else self.measure.replace("all parameters are", "each layer is"),
        )


def rule(intervals: Sequence[Interval]) -> Answer:
    """From the rank correlation."""
    return compare(intervals[0], QUARTER, HALF, Answer.YES, Answer.NO)


def ignores_model(inputs: VerdictInputs, method: str) -> bool:
    """Whether a method was found to give the same scores in a randomised model."""
    decision = decide_for(correlations(inputs), method)
    return decision is not None and decision.answer == Answer.NO


def decide_for(correlated: Measured | None, method: str) -> Decision | None:
    """Whether the scores of a method are about the model; None if it was not tested."""
    if correlated is None or method not in correlated.methods:
        return None
    mean = _mean(correlated, method)
    return decide([mean], rule) if mean.texts else None


def correlations(inputs: VerdictInputs) -> Measured | None:
    """Rank correlations with the scores in the randomised model, by method."""
    by_name = {each.measure.name: each for each in inputs.measured}
    return by_name.get(ALL_RANDOMISED, by_name.get(RANDOMIZATION))


def _mean(correlated: Measured, method: str) -> Mean:
    return Mean.of(correlated.values[method], limits=(-1.0, 1.0))
