"""The verdict: the findings, the overall answer that follows from them, and the method to show."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Registers the questions.
import analysis.verdict.questions  # noqa: F401
from analysis.performance import not_asked_of_majority
from analysis.verdict.inputs import ATTENTION, VerdictInputs, load_inputs
from analysis.verdict.question import NOT_KNOWN, QUESTIONS, Answer, Case, Finding
from analysis.verdict.ranking import RankedMethod, Recommendation, rank_methods, recommend
from analysis.verdict.scores import FaithfulnessScores, score_methods
from analysis.written import Estimate

# The option that asks whether attention agrees with rationales.
RATIONALES = "rationales"


@dataclass(frozen=True)
class Verdict:
    """
    score : attention's faithfulness score.
    findings : the answers to all questions that were asked.
    methods : the best first.
    weights : a hash of the weights of each seed; empty if a file has none.
    nothing : why there is nothing to judge; empty if there is something.
    not_asked : why it is not known whether the model has learned anything; empty if it is.
    scores : of all methods; None if there is nothing to judge.
    data : the name of the texts, for titles; `corpus` may be the name of their reader.
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
                },
                "questions": [each.as_json() for each in self.findings],
                "methods": [each.as_json() for each in self.methods],
                "recommended": {"method": self.recommended.method, "why": self.recommended.why},
                "nothing": self.nothing,
                "not_asked": self.not_asked,
            }
        )


def overall(findings: Sequence[Finding]) -> Answer:
    """The answer of the deciding question; an objection turns a yes into a partly."""
    answer = _deciding(findings).answer
    return Answer.PARTLY if answer == Answer.YES and _objections(findings) else answer


def verdict_on(paths: str | Path | Sequence[Path], rationales: bool = False) -> Verdict:
    """The verdict from its folder or from a list of files. Writes nothing."""
    return judge(load_inputs(paths), [RATIONALES] if rationales else [])


def judge(inputs: VerdictInputs, options: Collection[str] = ()) -> Verdict:
    """The verdict on a model. `options` are those of the optional questions to ask."""
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
    methods = rank_methods(inputs, scores)
    recommended = recommend(methods, scores)
    case = Case(inputs, scores, recommended.method or methods[0].name)
    findings = [
        each.answer(case)
        for each in QUESTIONS.values()
        if not each.option or each.option in options
    ]
    return Verdict(
        **_about(inputs),
        answer=overall(findings),
        score=scores.score(ATTENTION).estimate,
        findings=findings,
        methods=methods,
        recommended=recommended,
        not_asked=not_asked_of_majority(inputs.attributions.files),
        scores=scores,
    )


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
    return [
        each.question.objection
        for each in findings
        if each.answer == Answer.NO and each.question.objection
    ]


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
