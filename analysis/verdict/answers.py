"""
The answers, and the bounds that part them, which were fixed before the first verdict was computed.
Why they are what they are, and what was known by then, is in docs/explanation/verdict-rule.md.
"""

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from analysis.verdict.means import LEAST_TEXTS, Mean, deciding, has_zero_width, texts_needed
from analysis.written import NONE, Estimate, Interval, number

# A share of texts, or a change of the output, that nobody would miss.
FEW = 0.05
# Of the way from chance to the best, of a correlation, of a change.
QUARTER, HALF = 0.25, 0.5


class Answer(StrEnum):
    """To a question. Only what is made of several erasures can depend on them."""

    YES = "yes"
    NO = "no"
    PARTLY = "partly"
    UNKNOWN = "cannot be told"
    DEPENDS = "depends on how words are removed"


def between(interval: Interval, lower: float, upper: float, below: Answer, above: Answer) -> Answer:
    """Which side of both bounds the whole interval is on; `partly` if it is between them."""
    if interval.low > upper:
        return above
    if interval.high < lower:
        return below
    if interval.low > lower and interval.high < upper:
        return Answer.PARTLY
    return Answer.UNKNOWN


@dataclass(frozen=True)
class Evidence:
    """
    What the figure of a question shows.

    rows : by name, estimates on one axis; attention's stand out.
    zones : the bounds, with the answer on each side: `(from, to, answer)`.
    label : of the axis.
    """

    rows: Sequence[Tuple[str, Estimate]] = ()
    zones: Sequence[Tuple[float, float, str]] = ()
    label: str = ""


@dataclass(frozen=True)
class Question:
    """
    name : short, for programs; `words` for people, who read it with the answer behind it.
    measure : what `estimate` is the mean of.
    bound : the rule in words, with its bounds.
    sentence : the answer's reason, with the numbers.
    caveat : what it does not say.
    texts_needed : that would decide it at the present spread, where it cannot be told.
    texts_missing, equal_values : as in `Decision`.
    """

    name: str
    words: str
    answer: Answer
    measure: str
    estimate: Estimate
    bound: str
    sentence: str
    caveat: str
    papers: Tuple[str, ...]
    texts_needed: Optional[int] = None
    evidence: Evidence = field(default_factory=Evidence)
    texts_missing: int = 0
    equal_values: bool = False

    def as_json(self) -> Dict[str, Any]:
        return {
            "name": self.name,
            "question": self.words,
            "answer": str(self.answer),
            "measure": self.measure,
            "value": self.estimate.mean,
            "low": self.estimate.low,
            "high": self.estimate.high,
            "bound": self.bound,
            "sentence": self.sentence,
            "papers": list(self.papers),
            "texts_needed": self.texts_needed,
            "texts_missing": self.texts_missing,
        }


NOT_KNOWN = Estimate(float("nan"), float("nan"), float("nan"))


def percent(share: float) -> str:
    """As people read a share of texts."""
    return NONE if math.isnan(share) else f"{100 * share:.0f} %"


def told(estimate: Estimate, answer: Answer) -> str:
    """With its interval where that is why there is no answer."""
    return str(estimate) if answer == Answer.UNKNOWN else number(estimate.mean)


def worst(answers: Sequence[Answer]) -> Answer:
    """Of the parts of a question of which each can fail it."""
    order: List[Answer] = [Answer.NO, Answer.UNKNOWN, Answer.PARTLY, Answer.YES]
    return min(answers, key=order.index)


@dataclass(frozen=True)
class Decision:
    """
    An answer from means over texts, by the rule that holds for every question.

    texts_needed : that would give an answer, where there is none; None where no number would.
    texts_missing : how many more texts an answer takes.
    equal_values : whether there is no answer because an interval has zero width.
    """

    answer: Answer
    texts_needed: Optional[int] = None
    texts_missing: int = 0
    equal_values: bool = False


def decide(means: Sequence[Mean], answered: Callable[[Sequence[Interval]], Answer]) -> Decision:
    """
    Apply a question's bounds to the intervals of its means. Fewer than `LEAST_TEXTS` texts give no answer,
    and an interval of zero width decides nothing.
    """
    missing = max(mean.texts_missing for mean in means)
    if missing:
        return Decision(Answer.UNKNOWN, LEAST_TEXTS, missing)

    def decided(intervals: Sequence[Interval]) -> Answer:
        return answered([deciding(each) for each in intervals])

    intervals = [mean.estimate.interval for mean in means]
    answer = decided(intervals)
    if answer != Answer.UNKNOWN:
        return Decision(answer)
    return Decision(
        answer,
        texts_needed(means, lambda several: decided(several) != Answer.UNKNOWN),
        equal_values=any(map(has_zero_width, intervals)),
    )
