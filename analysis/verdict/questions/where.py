"""Does attention find the words that matter, in whichever direction they move the output?"""

import math

from analysis.verdict.decision import (
    BOUNDS,
    Reason,
    RelevanceDecision,
    over_texts,
    over_texts_and_seeds,
)
from analysis.verdict.means import LEAST_TEXTS, MOST_TEXTS
from analysis.verdict.question import (
    Case,
    Decision,
    Evidence,
    Finding,
    Question,
    Requirements,
)
from analysis.written import listed, number
from attention_explain.files.faithfulness import RELEVANCE

NOT_MEASURED = "the faithfulness files have no measure `relevance`; run `allennlp verdict` again in another folder"


class Where(Question):
    name = "where"
    title = "finds the words that matter?"
    column = "finds the words that matter"
    measure = (
        "relevance score (0 = random order, 1 = sorted by how much each word moves the output)"
    )
    bound = (
        f"Yes if the score is above {BOUNDS.yes} and not surely below {BOUNDS.close} of the best method's score; "
        f"partly if it is only above {BOUNDS.partly}; no if it is below {BOUNDS.yes} and not surely above "
        f"{BOUNDS.partly}. If removal methods are surely on different sides of a bound, the answer depends on "
        "how words are removed; otherwise they are pooled."
    )
    caveat = (
        "How much a word moves the output is its mean effect when it is added to a random part of the text. Such "
        "texts are unlike those that the model was trained on."
    )
    papers = ("Lundberg & Lee 2017", "DeYoung et al. 2020", "Hase et al. 2021")
    requires = Requirements(measures=(RELEVANCE,))
    decides = True

    def answer(self, case: Case) -> Finding:
        decision = case.decision
        if decision is None:
            return self.not_asked(NOT_MEASURED)
        score = decision.score
        each = listed([f"{mean} by {removal}" for removal, mean in decision.by_removal.items()])
        comparison = decision.best
        sentence = f"it scores {score} ({each})"
        if decision.reason == Reason.UNRELIABLE and decision.reliability is not None:
            sentence = (
                f"the relevance of words has a split-half reliability of {number(decision.reliability)}, and an "
                f"answer needs {BOUNDS.reliability}"
            )
        elif comparison is not None:
            sentence += f"; {comparison.method} scores {comparison.difference} more"
        if decision.interval not in (over_texts, over_texts_and_seeds):
            sentence += "; since an earlier verdict used fewer texts, its interval holds at all numbers of texts"
        unreliable = [name for name in case.inputs.reliability if name not in decision.values]
        if unreliable:
            sentence += f"; {listed(unreliable)} left out, where relevance is not reliable"
        return Finding(
            self,
            Decision(
                decision.answer,
                texts_needed(decision),
                decision.texts_missing,
                decision.reason == Reason.EQUAL_VALUES,
            ),
            score,
            sentence,
            Evidence(
                [(name, decision.score_of(name)) for name in case.scores.methods],
                [
                    (0.0, BOUNDS.partly, "no"),
                    (BOUNDS.partly, BOUNDS.yes, "partly"),
                    (BOUNDS.yes, 1.0, "yes"),
                ],
                "score: 0 = random order, 1 = sorted by relevance",
            ),
        )


def texts_needed(decision: RelevanceDecision) -> int | None:
    """The number of texts that would decide at the present mean and spread; None if no number would."""
    if decision.reason == Reason.FEW_TEXTS:
        return LEAST_TEXTS
    if decision.reason != Reason.BOUNDS or not decision.more_texts_help:
        return None
    score = decision.score
    above = score.mean > BOUNDS.yes
    half = score.mean - score.low if above else score.high - score.mean
    distance = abs(score.mean - BOUNDS.yes)
    if not distance or not math.isfinite(half):
        return None
    needed = decision.texts * (half / distance) ** 2
    return int(needed) + 1 if needed <= MOST_TEXTS else None
