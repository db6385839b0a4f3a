"""Is attention what people would mark? No answer to it says whether attention is true to the model."""

from typing import Sequence

import numpy

from analysis.attributions import RATIONALE
from analysis.measures.scores import Scores
from analysis.plausibility import orders
from analysis.plausibility.annotators import Annotators
from analysis.statistics.samples import placed
from analysis.verdict.answers import (
    HALF,
    NOT_KNOWN,
    QUARTER,
    Answer,
    Evidence,
    Question,
    between,
    decide,
)
from analysis.verdict.files import ATTENTION, Files
from analysis.verdict.means import Mean
from analysis.written import Interval
from attention_explain.heatmaps.explanation import KNOWN, markings

MEASURE = "place of the average precision of the marked tokens, between chance (0) and 1"
BOUND = (
    f"Yes if the average precision of the marked tokens comes more than {HALF} of the way from chance "
    f"to 1; partly from {QUARTER}; no below."
)
CAVEAT = (
    "Kept apart: what people would mark is no fact about the model (Jacovi & Goldberg 2020), and plays "
    "no part in the verdict."
)
PAPERS = ("DeYoung et al. 2020", "Jacovi & Goldberg 2020")


def answered(intervals: Sequence[Interval]) -> Answer:
    """Of the place."""
    return between(intervals[0], QUARTER, HALF, Answer.NO, Answer.YES)


def plausible(files: Files) -> Question:
    first = files.explained.files[0]
    known = first.rationales == KNOWN
    words = "finds the known causes?" if known else "what people would mark?"
    marked = RATIONALE in first.table and any(map(markings, first.table[RATIONALE]))
    place = place_among_marked(files, ATTENTION) if marked else None
    if place is None or not place.texts:
        why = "nobody has marked these texts (none has a rationale)"
        return Question(
            "plausible", words, Answer.UNKNOWN, MEASURE, NOT_KNOWN, BOUND,
            "no text that has a rationale is explained for its label" if marked else why,
            CAVEAT, PAPERS,
        )  # fmt: skip
    decision = decide([place], answered)
    whose = "the known causes" if known else "what people have marked"
    return Question(
        "plausible",
        words,
        decision.answer,
        MEASURE,
        place.estimate,
        BOUND,
        f"it comes {place.estimate} of the way from chance to {whose}, all before the rest",
        CAVEAT,
        PAPERS,
        decision.texts_needed,
        Evidence(
            [(name, place_among_marked(files, name).estimate) for name in first.methods],
            [(0.0, QUARTER, "no"), (QUARTER, HALF, "partly"), (HALF, 1.0, "yes")],
            "average precision, from chance (0) to 1",
        ),
        decision.texts_missing,
        decision.equal_values,
    )


def place_among_marked(files: Files, method: str) -> Mean:
    """Over the texts that are explained for their gold label, for which people have marked."""
    values = []
    for file in files.explained.files:
        annotators = Annotators(file)

        def precision(scores: Scores, annotators: Annotators = annotators) -> numpy.ndarray:
            return annotators.mean(scores, lambda s, m: orders.average_precision(s, m.marked))

        blind = Scores.of(file.table["tokens"].map(lambda tokens: [0.0] * len(tokens)))
        reached = numpy.where(file.explains_gold, precision(file.scores(method)), numpy.nan)
        values.append((reached, precision(blind)))
    reached, chance = (numpy.array(each) for each in zip(*values, strict=True))
    return Mean.of(placed(reached, chance, numpy.ones_like(reached)))
