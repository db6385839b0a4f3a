"""Does attention point to what matters? Erase words in its order and ask the model, as for any method."""

from typing import Sequence

from analysis.verdict.answers import HALF, NOT_KNOWN, QUARTER, Answer, Evidence, Question, decide
from analysis.verdict.files import ATTENTION
from analysis.verdict.places import Places
from analysis.written import Interval, listed, number

WORDS = "points to what matters?"
MEASURE = "place between random orders (0) and the best order of words (1), comprehensiveness and sufficiency"
BOUND = (
    f"Yes if it comes more than half of the way from random orders to the best one, however words are "
    f"removed; no if less than half, however they are; partly if also more than {QUARTER}. "
    f"More than half under one way to remove them and less under another: it depends."
)
CAVEAT = (
    "A text with words taken out is unlike those the model knows, which is why several ways to take "
    "them out have to agree."
)
PAPERS = ("DeYoung et al. 2020", "Zhou & Shah 2022", "Hase et al. 2021")


def answered(intervals: Sequence[Interval]) -> Answer:
    """One interval an erasure."""
    if all(each.low > HALF for each in intervals):
        return Answer.YES
    if all(each.high < HALF for each in intervals):
        more = all(each.low > QUARTER for each in intervals)
        return Answer.PARTLY if more else Answer.NO
    if any(each.low > HALF for each in intervals) and any(each.high < HALF for each in intervals):
        return Answer.DEPENDS
    return Answer.UNKNOWN


def not_asked(why: str) -> Question:
    """Without its answer."""
    return Question("points", WORDS, Answer.UNKNOWN, MEASURE, NOT_KNOWN, BOUND, why, CAVEAT, PAPERS)


def points_to_what_matters(places: Places, beside: str, method: str = ATTENTION) -> Question:
    """`beside` is the method that the figure has for comparison."""
    of_erasures = places.places(method)
    means = list(of_erasures.values())
    decision = decide(means, answered)
    place = places.place(method).estimate
    # Where no answer is given, the interval under one of them is the reason.
    told = decision.answer in (Answer.YES, Answer.NO, Answer.PARTLY)
    each = listed(
        [
            f"{number(mean.estimate.mean) if told else mean.estimate} by {erasure}"
            for erasure, mean in of_erasures.items()
        ]
    )
    return Question(
        "points",
        WORDS,
        decision.answer,
        MEASURE,
        place,
        BOUND,
        f"it comes {place} of the way from random to the best order of words ({each})",
        CAVEAT,
        PAPERS,
        decision.texts_needed,
        Evidence(
            [
                (f"{name}, {erasure}", mean.estimate)
                for name in dict.fromkeys([method, beside])
                for erasure, mean in places.places(name).items()
            ],
            [(0.0, QUARTER, "no"), (QUARTER, HALF, "partly"), (HALF, 1.0, "yes")],
            "from random orders (0) to the best (1)",
        ),
        decision.texts_missing,
        decision.equal_values,
    )
