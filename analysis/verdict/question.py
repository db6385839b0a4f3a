"""
Questions of the verdict: what one declares, and the rule that turns means into an answer.
docs/explanation/verdict-rule.md gives the reasons for the bounds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Union

from analysis.verdict.answers import Answer as Answer
from analysis.verdict.decision import RelevanceDecision
from analysis.verdict.inputs import VerdictInputs
from analysis.verdict.means import LEAST_TEXTS, Mean, has_zero_width, texts_needed, usable
from analysis.verdict.scores import FaithfulnessScores
from analysis.written import NONE, Estimate, Interval, number

# A share of texts, or a change of the output, that nobody would miss.
FEW = 0.05
# Bounds of a score, a correlation or a relative change.
QUARTER, HALF = 0.25, 0.5
NOT_KNOWN = Estimate(float("nan"), float("nan"), float("nan"))
# A name, or a config with a `type`.
Component = Union[str, dict[str, Any]]


def compare(interval: Interval, lower: float, upper: float, below: Answer, above: Answer) -> Answer:
    """The answer for the side of both bounds that the interval is on; `partly` between them."""
    if interval.low > upper:
        return above
    if interval.high < lower:
        return below
    if interval.low > lower and interval.high < upper:
        return Answer.PARTLY
    return Answer.INCONCLUSIVE


def worst(answers: Sequence[Answer]) -> Answer:
    """The answer to a question that has several conditions."""
    order: list[Answer] = [Answer.NO, Answer.INCONCLUSIVE, Answer.PARTLY, Answer.YES]
    return min(answers, key=order.index)


@dataclass(frozen=True)
class Decision:
    """
    An answer from means over texts.

    texts_needed : the number of texts that would give an answer, if there is none and one would.
    texts_missing : how many texts are missing for any answer.
    equal_values : whether there is no answer because an interval has zero width.
    """

    answer: Answer
    texts_needed: int | None = None
    texts_missing: int = 0
    equal_values: bool = False


def decide(means: Sequence[Mean], rule: Callable[[Sequence[Interval]], Answer]) -> Decision:
    """
    Apply a question's bounds to the intervals of its means. Fewer than `LEAST_TEXTS` texts give no answer,
    and an interval of zero width decides nothing.
    """
    missing = max(mean.texts_missing for mean in means)
    if missing:
        return Decision(Answer.INCONCLUSIVE, LEAST_TEXTS, missing)

    def answer_from(intervals: Sequence[Interval]) -> Answer:
        return rule([usable(each) for each in intervals])

    intervals = [mean.estimate.interval for mean in means]
    answer = answer_from(intervals)
    if answer != Answer.INCONCLUSIVE:
        return Decision(answer)
    return Decision(
        answer,
        texts_needed(means, lambda several: answer_from(several) != Answer.INCONCLUSIVE),
        equal_values=any(map(has_zero_width, intervals)),
    )


@dataclass(frozen=True)
class Case:
    """
    What a question is asked about.

    scores : of all methods.
    decision : whether attention finds the words that matter; None if relevance was not measured.
    """

    inputs: VerdictInputs
    scores: FaithfulnessScores
    decision: RelevanceDecision | None


@dataclass(frozen=True)
class Requirements:
    """
    What a question needs, as names or configs of components.

    perturbations : for the perturbation file.
    measures : for the faithfulness file.
    slow_measures : likewise, but not with `--quick`.
    """

    perturbations: tuple[str, ...] = ()
    measures: tuple[Component, ...] = ()
    slow_measures: tuple[Component, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """
    The figure of a question.

    rows : estimates by name, on one axis; attention's stand out.
    zones : the answer between two bounds: `(from, to, answer)`.
    label : of the axis.
    marks : reference lines on the axis: `(at, name)`.
    """

    rows: Sequence[tuple[str, Estimate]] = ()
    zones: Sequence[tuple[float, float, str]] = ()
    label: str = ""
    marks: Sequence[tuple[float, str]] = ()


class Question:
    """
    A question about attention. A subclass sets these attributes and implements `answer`.

    name : for programs.
    title : for people, who read it followed by the answer.
    column : its name in tables of several verdicts.
    measure : what the estimate is the mean of.
    bound : the rule in words, with its bounds.
    caveat : what the answer does not say.
    requires : what `allennlp verdict` has to compute for it.
    decides : whether its answer is the overall answer.
    objection : what a "no" objects to an overall "yes", which becomes "partly"; empty if nothing.
    option : the option of the command that asks this question; empty if it is always asked.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    column: ClassVar[str]
    measure: ClassVar[str]
    bound: ClassVar[str]
    caveat: ClassVar[str]
    papers: ClassVar[tuple[str, ...]]
    requires: ClassVar[Requirements] = Requirements()
    decides: ClassVar[bool] = False
    objection: ClassVar[str] = ""
    option: ClassVar[str] = ""

    def answer(self, case: Case) -> "Finding":
        """The answer with its reason and figure."""
        raise NotImplementedError

    def not_asked(self, why: str, title: str = "") -> "Finding":
        """No answer, because something is missing."""
        return Finding(self, Decision(Answer.INCONCLUSIVE), NOT_KNOWN, why, title=title)


@dataclass(frozen=True)
class Finding:
    """
    The answer to a question.

    sentence : the reason, with the numbers.
    title, measure : where they are not those of the question.
    objects : whether it objects to an overall "yes" (default: if its answer is "no").
    """

    question: Question
    decision: Decision
    estimate: Estimate
    sentence: str
    evidence: Evidence = field(default_factory=Evidence)
    title: str = ""
    measure: str = ""
    objects: bool | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.question.title)
        object.__setattr__(self, "measure", self.measure or self.question.measure)

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def answer(self) -> Answer:
        return self.decision.answer

    @property
    def objection(self) -> str:
        """What it objects to an overall "yes"; empty if nothing."""
        objects = self.answer == Answer.NO if self.objects is None else self.objects
        return self.question.objection if objects else ""

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "name": self.name,
            "question": self.title,
            "answer": str(self.answer),
            "measure": self.measure,
            "value": self.estimate.mean,
            "low": self.estimate.low,
            "high": self.estimate.high,
            "bound": self.question.bound,
            "sentence": self.sentence,
            "papers": list(self.question.papers),
            "texts_needed": self.decision.texts_needed,
            "texts_missing": self.decision.texts_missing,
        }


# By name, in the order in which people read them.
QUESTIONS: dict[str, Question] = {}


def register(question: Question) -> None:
    """Add a question to every verdict."""
    if question.name in QUESTIONS:
        raise ValueError(f"there is already a question named {question.name!r}")
    QUESTIONS[question.name] = question


def percent(share: float) -> str:
    """A share of texts, for people."""
    return NONE if math.isnan(share) else f"{100 * share:.0f} %"


def with_doubt(estimate: Estimate, answer: Answer) -> str:
    """The mean; with its interval if that is why there is no answer."""
    return str(estimate) if answer == Answer.INCONCLUSIVE else number(estimate.mean)
