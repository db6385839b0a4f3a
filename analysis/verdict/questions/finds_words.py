"""Does attention find the words that matter? Remove words in its order and ask the model."""

from collections.abc import Sequence

from analysis.verdict.inputs import ATTENTION
from analysis.verdict.question import (
    HALF,
    QUARTER,
    Answer,
    Case,
    Evidence,
    Finding,
    Question,
    Requirements,
    decide,
)
from analysis.verdict.scores import MEASURES
from analysis.written import Interval, listed, number


class FindsWords(Question):
    name = "finds_words"
    title = "finds the words that matter?"
    column = "finds the words that matter"
    measure = "faithfulness score (0 = random order, 1 = best order found), by comprehensiveness and sufficiency"
    bound = (
        f"Yes if the score is above {HALF} for every removal method; no if it is below {HALF} for every "
        f"one; partly if it is then also above {QUARTER}. Above {HALF} for one removal method and below for "
        "another: it depends."
    )
    caveat = (
        "A text with words removed is unlike the texts that the model was trained on, so several removal "
        "methods have to agree."
    )
    papers = ("DeYoung et al. 2020", "Zhou & Shah 2022", "Hase et al. 2021")
    requires = Requirements(measures=MEASURES)
    decides = True

    def answer(self, case: Case) -> Finding:
        scores = case.scores
        by_removal = scores.by_removal_method(ATTENTION)
        decision = decide(list(by_removal.values()), rule)
        score = scores.score(ATTENTION).estimate
        # Without an answer, the interval for one of the removal methods is the reason.
        clear = decision.answer in (Answer.YES, Answer.NO, Answer.PARTLY)
        each = listed(
            [
                f"{number(mean.estimate.mean) if clear else mean.estimate} by {removal}"
                for removal, mean in by_removal.items()
            ]
        )
        return Finding(
            self,
            decision,
            score,
            f"it scores {score} ({each})",
            Evidence(
                [
                    (f"{method}, {removal}", mean.estimate)
                    for method in dict.fromkeys([ATTENTION, case.comparison])
                    for removal, mean in scores.by_removal_method(method).items()
                ],
                [(0.0, QUARTER, "no"), (QUARTER, HALF, "partly"), (HALF, 1.0, "yes")],
                "score: 0 = random order, 1 = best order found",
            ),
        )


def rule(intervals: Sequence[Interval]) -> Answer:
    """From one interval per removal method."""
    if all(each.low > HALF for each in intervals):
        return Answer.YES
    if all(each.high < HALF for each in intervals):
        more = all(each.low > QUARTER for each in intervals)
        return Answer.PARTLY if more else Answer.NO
    if any(each.low > HALF for each in intervals) and any(each.high < HALF for each in intervals):
        return Answer.DEPENDS
    return Answer.INCONCLUSIVE
