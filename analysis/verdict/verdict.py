"""The verdict: the findings, the overall answer that follows from them, and the method to show."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Registers the questions.
import analysis.verdict.questions  # noqa: F401
from analysis.performance import not_asked_of_majority
from analysis.statistics.intervals import LEAST_SEEDS
from analysis.verdict.decision import (
    BOUNDS,
    IntervalOfMean,
    Reason,
    RelevanceDecision,
    decide_relevance,
    load_bounds,
    over_all_numbers,
    over_texts,
    over_texts_and_seeds,
)
from analysis.verdict.headlines import Situation, headline, next_step, other_training, sides_of
from analysis.verdict.inputs import ATTENTION, VerdictInputs, load_inputs
from analysis.verdict.question import NOT_KNOWN, QUESTIONS, Answer, Case, Finding
from analysis.verdict.questions.used import barely_used, predictions_depend
from analysis.verdict.ranking import RankedMethod, Recommendation, rank_methods, recommend
from analysis.verdict.scores import FaithfulnessScores, score_methods
from analysis.written import Estimate
from attention_explain.files.stopping import Stopped, read_stopped, seeded_order

# Of verdict.json: the first one had neither this key nor a headline.
EDITION = 2
CALIBRATED = bool(load_bounds()["calibrated"])
# The option that asks whether attention agrees with rationales.
RATIONALES = "rationales"


@dataclass(frozen=True)
class Verdict:
    """
    score : attention's.
    findings : the answers to all questions that were asked.
    methods : the best first.
    weights : a hash of the weights of each seed; empty if a file has none.
    nothing : why there is nothing to judge; empty if there is something.
    not_asked : why it is not known whether the model has learned anything; empty if it is.
    scores : of all methods; None if there is nothing to judge.
    data : the name of the texts, for titles; `corpus` may be the name of their reader.
    decision : whether attention finds the words that matter; None if relevance was not measured.
    over_seeds : the same for other trainings; None with fewer than three seeds.
    depends_on_attention : whether uniform weights change more than 5 % of predictions; None if not known.
    """

    model: str
    corpus: str
    texts: int
    seeds: int
    answer: Answer
    score: Estimate
    findings: list[Finding]
    methods: list[RankedMethod]
    recommended: Recommendation
    weights: tuple[str, ...] = ()
    nothing: str = ""
    not_asked: str = ""
    scores: FaithfulnessScores | None = None
    data: str = ""
    decision: RelevanceDecision | None = None
    over_seeds: RelevanceDecision | None = None
    barely_used: bool = False
    depends_on_attention: bool | None = None

    @property
    def texts_missing(self) -> int:
        """How many texts are missing for an overall answer."""
        return self.deciding.decision.texts_missing

    @property
    def deciding(self) -> Finding:
        """The finding whose answer is the overall answer, unless there is an objection."""
        return _deciding(self.findings)

    @property
    def objections(self) -> list[str]:
        """Why the overall answer is not that of the deciding finding."""
        if self.answer == self.deciding.answer:
            return []
        return _objections(self.findings)

    @property
    def reason(self) -> Reason:
        """Why the answer is what it is, where it does not say so itself."""
        if self.nothing:
            return Reason.NOTHING
        return Reason.NOT_MEASURED if self.decision is None else self.decision.reason

    @property
    def situation(self) -> Situation:
        """What the sentences depend on."""
        decision = self.decision
        return Situation(
            answer=self.answer,
            reason=self.reason,
            texts=self.texts if decision is None else decision.texts,
            texts_needed=self.deciding.decision.texts_needed,
            score=decision.score if decision else None,
            best=decision.best if decision else None,
            best_unsigned=decision.best_unsigned if decision else None,
            shown=self.recommended.method,
            direction=self.recommended.direction,
            direction_measured=any(each.direction is not None for each in self.methods),
            barely_used=self.barely_used,
            objections=tuple(self.objections),
            sides=sides_of(list(decision.by_removal.items()), BOUNDS.yes) if decision else (),
            reliability=decision.reliability if decision else None,
            nothing=self.nothing,
        )

    @property
    def headline(self) -> str:
        """The first line of every output."""
        return headline(self.situation)

    @property
    def next_step(self) -> str:
        """What to do next."""
        return next_step(self.situation)

    @property
    def another_training(self) -> str:
        """Whether another training would give the same answer; empty with one seed."""
        if self.decision is None or self.texts_missing:
            return ""
        other = self.over_seeds
        return other_training(
            self.seeds,
            self.decision.answer,
            other.answer if other else Answer.INCONCLUSIVE,
            other.score if other else None,
            LEAST_SEEDS,
        )

    def method(self, name: str) -> RankedMethod | None:
        """By name; None if it was not judged."""
        return next((each for each in self.methods if each.name == name), None)

    def finding(self, name: str) -> Finding:
        """By the name of its question."""
        return next(each for each in self.findings if each.name == name)

    def as_json(self) -> dict[str, Any]:
        """For programs; unknown numbers are null."""
        return _without_nan(
            {
                "edition": EDITION,
                "headline": self.headline,
                "next_step": self.next_step,
                "another_training": self.another_training,
                "model": self.model,
                "corpus": self.corpus,
                "data": self.data,
                "texts": self.texts,
                "texts_missing": self.texts_missing,
                "seeds": self.seeds,
                "weights_sha256": list(self.weights),
                "attention": {
                    "answer": str(self.answer),
                    "score": self.score.mean,
                    "low": self.score.low,
                    "high": self.score.high,
                    "reason": self.reason.value,
                    "compared": self._compared(),
                },
                "depends_on_attention": self.depends_on_attention,
                "reliability": self.decision and self.decision.reliability,
                "calibrated": CALIBRATED,
                "questions": [each.as_json() for each in self.findings],
                "methods": [each.as_json() for each in self.methods],
                "recommended": vars(self.recommended),
                "nothing": self.nothing,
                "not_asked": self.not_asked,
            }
        )

    def _compared(self) -> dict[str, Any]:
        """By what attention is compared with: the method, and by how much it scores higher."""
        if self.decision is None or self.texts_missing:
            return {}
        several = {"best": self.decision.best, "best_unsigned": self.decision.best_unsigned}
        return {
            what: {
                "method": each.method,
                "difference": each.difference.mean,
                "low": each.difference.low,
                "high": each.difference.high,
                "ratio": each.ratio,
            }
            for what, each in several.items()
            if each is not None
        }


def overall(findings: Sequence[Finding]) -> Answer:
    """The answer of the deciding question; an objection turns a yes into a partly."""
    answer = _deciding(findings).answer
    return Answer.PARTLY if answer == Answer.YES and _objections(findings) else answer


def verdict_on(paths: str | Path | Sequence[Path], rationales: bool = False) -> Verdict:
    """The verdict from its folder or from a list of files. Writes nothing."""
    stopped = read_stopped(Path(paths)) if isinstance(paths, (str, Path)) else Stopped()
    return judge(load_inputs(paths), [RATIONALES] if rationales else [], stopped)


def judge(
    inputs: VerdictInputs, options: Collection[str] = (), stopped: Stopped = Stopped()
) -> Verdict:
    """
    The verdict on a model. If there were verdicts for fewer of its texts, intervals of scores are over all numbers of
    texts: otherwise, who adds texts until they decide would be wrong too often.

    # Parameters

    inputs : `VerdictInputs`
    options : `Collection[str]`, optional
        Those of the optional questions to ask.
    stopped : `Stopped`, optional
        How texts were added.
    """
    nothing = inputs.nothing
    if not nothing and all(len(each) < 2 for each in inputs.attributions.files[0].texts["tokens"]):
        nothing = "no text has two words to rank"
    if nothing:
        why = "there is nothing to judge"
        return Verdict(
            **_about(inputs),
            answer=Answer.INCONCLUSIVE,
            score=NOT_KNOWN,
            findings=[each.not_asked(why) for each in QUESTIONS.values() if not each.option],
            methods=[],
            recommended=Recommendation(None, f"{why}: {nothing}"),
            nothing=nothing,
        )
    scores = score_methods(inputs)
    again = stopped.earlier > 0 and bool(scores.relevance)
    decision = decide(
        inputs,
        scores,
        interval_over_all_numbers(inputs, scores, stopped.seed) if again else over_texts,
    )
    methods = rank_methods(inputs, scores, decision)
    case = Case(inputs, scores, decision)
    findings = [
        each.answer(case)
        for each in QUESTIONS.values()
        if not each.option or each.option in options
    ]
    several = decision is not None and inputs.seeds >= LEAST_SEEDS
    return Verdict(
        **_about(inputs),
        answer=overall(findings),
        score=scores.score(ATTENTION).estimate if decision is None else decision.score,
        findings=findings,
        methods=methods,
        recommended=recommend(methods, scores),
        not_asked=not_asked_of_majority(inputs.attributions.files),
        scores=scores,
        decision=decision,
        over_seeds=decide(inputs, scores, over_texts_and_seeds) if several else None,
        barely_used=bool(barely_used(inputs)),
        depends_on_attention=predictions_depend(inputs),
    )


def decide(
    inputs: VerdictInputs, scores: FaithfulnessScores, interval: IntervalOfMean = over_texts
) -> RelevanceDecision | None:
    """Whether attention finds the words that matter; None if relevance was not measured."""
    if not scores.relevance:
        return None
    file = inputs.attributions.files[0]
    unsigned = [name for name in scores.methods if not file.signed(name)]
    known = [inputs.reliability[name] for name in scores.relevance if name in inputs.reliability]
    return decide_relevance(scores.relevance, unsigned, interval, min(known, default=None))


def interval_over_all_numbers(
    inputs: VerdictInputs, scores: FaithfulnessScores, seed: int | None
) -> IntervalOfMean:
    """The interval for texts that were added in the order of this seed."""
    order = seeded_order(inputs.attributions.files[0].texts["id"].tolist(), seed)
    return over_all_numbers(list(scores.relevance.values()), order)


def _about(inputs: VerdictInputs) -> dict[str, Any]:
    return {
        "model": inputs.attributions.name,
        "corpus": inputs.attributions.config.corpus,
        "data": inputs.data,
        "texts": inputs.texts,
        "seeds": inputs.seeds,
        "weights": inputs.weights,
    }


def _deciding(findings: Sequence[Finding]) -> Finding:
    return next(each for each in findings if each.question.decides)


def _objections(findings: Sequence[Finding]) -> list[str]:
    return [each.objection for each in findings if each.objection]


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
