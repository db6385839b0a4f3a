"""Is attention about this model? Draw the parameters anew: what stays the same is not about them."""

from typing import List, Optional, Sequence, Tuple

from analysis.faithfulness.scale import Measured
from analysis.verdict.answers import (
    HALF,
    NOT_KNOWN,
    QUARTER,
    Answer,
    Evidence,
    Question,
    between,
    decide,
    told,
)
from analysis.verdict.files import ATTENTION, Files
from analysis.verdict.means import Mean
from analysis.written import Interval

WORDS = "about this model?"
# With all parameters drawn anew; without such rows, the mean over the stages on the way there.
ALL_ANEW = "parameter_randomization_embeddings"
MEAN = "parameter_randomization"
MEASURE = "rank correlation with the scores of the same method after all parameters were drawn anew"
BOUND = (
    f"Yes if the rank correlation with the scores of a model whose parameters were drawn anew is below "
    f"{QUARTER}; partly from {QUARTER} to {HALF}; no above."
)
CAVEAT = (
    "Scores can change with the model and still be wrong about it: this is the least to ask. It is one "
    "draw of parameters; the interval is over texts."
)
PAPERS = ("Adebayo et al. 2018",)


def answered(intervals: Sequence[Interval]) -> Answer:
    """Of the correlation."""
    return between(intervals[0], QUARTER, HALF, Answer.YES, Answer.NO)


def not_asked(why: str) -> Question:
    """Without its answer."""
    return Question("model", WORDS, Answer.UNKNOWN, MEASURE, NOT_KNOWN, BOUND, why, CAVEAT, PAPERS)


def about_this_model(files: Files, method: str = ATTENTION) -> Question:
    correlated = correlations(files)
    if (
        correlated is None
        or method not in correlated.methods
        or _mean(correlated, method).texts == 0
    ):
        return not_asked(
            "nobody drew the parameters anew (no faithfulness file has `parameter_randomization`)"
        )
    mean = _mean(correlated, method)
    decision = decide([mean], answered)
    answer = decision.answer
    anew = correlated.measure.name == ALL_ANEW
    how = "all parameters are" if anew else "its parameters are, one layer after the other,"
    words = {
        Answer.NO: "stays much the same",
        Answer.PARTLY: "changes in part",
        Answer.UNKNOWN: "may or may not change",
    }
    changes = words.get(answer, "changes")
    rows: List[Tuple[str, Mean]] = [(name, _mean(correlated, name)) for name in correlated.methods]
    return Question(
        "model",
        WORDS,
        answer,
        MEASURE if anew else MEASURE.replace("all parameters were", "each layer was"),
        mean.estimate,
        BOUND,
        f"it {changes} when {how} drawn anew (rank correlation {told(mean.estimate, answer)})",
        CAVEAT,
        PAPERS,
        decision.texts_needed,
        Evidence(
            [(name, each.estimate) for name, each in rows if each.texts],
            [(0.0, QUARTER, "yes"), (QUARTER, HALF, "partly"), (HALF, 1.0, "no")],
            "rank correlation with the scores of a random model",
        ),
        decision.texts_missing,
        decision.equal_values,
    )


def correlations(files: Files) -> Optional[Measured]:
    """By method, with the scores of the random model."""
    by_name = {each.measure.name: each for each in files.measured}
    return by_name.get(ALL_ANEW, by_name.get(MEAN))


def _mean(correlated: Measured, method: str) -> Mean:
    return Mean.of(correlated.values[method], limits=(-1.0, 1.0))
