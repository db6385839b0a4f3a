"""Are these the only weights that give the prediction? A search for others, text by text."""

from typing import Sequence

import numpy

from analysis.claims.claim import FAR
from analysis.verdict.answers import (
    FEW,
    HALF,
    NOT_KNOWN,
    Answer,
    Evidence,
    Question,
    between,
    needed,
    percent,
)
from analysis.verdict.files import Files
from analysis.verdict.means import Mean
from analysis.written import Interval, number

WORDS = "the only such weights?"
MEASURE = f"share of texts with other weights, more than {FAR} away (JSD), and the same output"
BOUND = (
    f"No if other weights, more than {FAR} away (Jensen-Shannon divergence, half of what is possible), "
    f"give the same output for more than {percent(HALF)} of texts; partly for {percent(FEW)} to "
    f"{percent(HALF)}; yes for fewer."
)
CAVEAT = (
    "That other weights would do as well does not make the model's own wrong (Wiegreffe & Pinter 2019), "
    "and a search that finds none does not prove that there are none."
)
PAPERS = ("Jain & Wallace 2019", "Wiegreffe & Pinter 2019")
ADVERSARY = "instance-adversary"


def answered(intervals: Sequence[Interval]) -> Answer:
    """Of the share of texts."""
    return between(intervals[0], FEW, HALF, Answer.YES, Answer.NO)


def only_one(files: Files) -> Question:
    jsd = files.perturbed_by(ADVERSARY, "max_jsd")
    if jsd is None:
        return Question(
            "only", WORDS, Answer.UNKNOWN, MEASURE, NOT_KNOWN, BOUND,
            f"nobody searched for others (there is no perturbation file with `{ADVERSARY}`)",
            CAVEAT, PAPERS,
        )  # fmt: skip
    # With one token there is nothing to choose.
    lengths = files.explained.files[0].table["tokens"].map(len).to_numpy()
    jsd = numpy.where(lengths > 1, jsd, numpy.nan)
    share = _share_above(jsd, FAR)
    answer = answered([share.estimate.interval])
    there = jsd[jsd > FAR]
    away = f" (JSD {number(float(there.mean()))})" if len(there) else ""
    return Question(
        "only",
        WORDS,
        answer,
        MEASURE,
        share.estimate,
        BOUND,
        f"for {percent(share.estimate.mean)} of texts other weights, far away{away}, give the same "
        "output",
        CAVEAT,
        PAPERS,
        needed([share], answered),
        Evidence(
            [
                (f"JSD above {number(far)}", _share_above(jsd, far).estimate)
                for far in (FAR / 2, FAR, 3 * FAR / 2)
            ],
            [(0.0, FEW, "yes"), (FEW, HALF, "partly"), (HALF, 1.0, "no")],
            "share of texts with other weights and the same output",
        ),
    )


def _share_above(jsd: numpy.ndarray, far: float) -> Mean:
    return Mean.of(numpy.where(numpy.isnan(jsd), numpy.nan, jsd > far), share=True)
