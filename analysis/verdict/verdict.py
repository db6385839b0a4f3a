"""The verdict itself: the answers, the overall answer that follows from them, and what to show."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from analysis.performance import not_asked_of_majority
from analysis.verdict.answers import NOT_KNOWN, Answer, Question
from analysis.verdict.files import ATTENTION, Files, load_files
from analysis.verdict.places import Places, places_of
from analysis.verdict.questions import five_not_asked, five_questions
from analysis.verdict.questions.plausible import plausible
from analysis.verdict.recommendation import RankedMethod, Recommended, methods_in_order, recommended
from analysis.written import Estimate

# Each of these can take a yes back. That there are other weights cannot: docs/explanation/verdict-rule.md says why.
CONDITIONS = ("used", "model", "stable")


@dataclass(frozen=True)
class Verdict:
    """
    questions : the five; `marked` is the one that is kept apart, where it was asked.
    methods : the best first.
    weights : a hash of what each seed has learned, as its files say it; empty where one does not.
    nothing : why there is nothing to judge; empty where there is something.
    not_asked : why nobody could ask whether the model has learned anything; empty where it was asked.
    places : what the figures show; None where there is nothing to judge.
    data : the name of the texts, for titles; `corpus` may be the name of their reader.
    """

    model: str
    corpus: str
    texts: int
    seeds: int
    answer: Answer
    score: Estimate
    questions: List[Question]
    methods: List[RankedMethod]
    recommended: Recommended
    weights: Tuple[str, ...] = ()
    nothing: str = ""
    not_asked: str = ""
    marked: Optional[Question] = None
    places: Optional[Places] = None
    data: str = ""

    @property
    def texts_missing(self) -> int:
        """How many more texts the overall answer needs; 0 where there are enough."""
        return self.question("points").texts_missing

    def method(self, name: str) -> Optional[RankedMethod]:
        """By its name, where it was judged."""
        return next((each for each in self.methods if each.name == name), None)

    def question(self, name: str) -> Question:
        """By its name, which has to be there."""
        return next(each for each in self.questions if each.name == name)

    def as_json(self) -> Dict[str, Any]:
        """For programs; what is not known is null."""
        questions = [*self.questions, *([self.marked] if self.marked else [])]
        return _known(
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
                "questions": [each.as_json() for each in questions],
                "methods": [each.as_json() for each in self.methods],
                "recommended": {"method": self.recommended.method, "why": self.recommended.why},
                "nothing": self.nothing,
                "not_asked": self.not_asked,
            }
        )


def overall(questions: Sequence[Question]) -> Answer:
    """
    That of the question whether attention points to what matters; a yes is partly one if the model
    does not use it, if it is not about this model, or if it is not stable.
    """
    answers = {each.name: each.answer for each in questions}
    points = answers["points"]
    taken_back = any(answers[name] == Answer.NO for name in CONDITIONS)
    return Answer.PARTLY if points == Answer.YES and taken_back else points


def verdict_on(places: Union[str, Path, Sequence[Path]], rationales: bool = False) -> Verdict:
    """From the folder of a verdict, or from its files one by one; for who wants no pages."""
    return judged(load_files(places), rationales)


def judged(files: Files, rationales: bool = False) -> Verdict:
    """
    rationales : whether to ask, too, if attention is what people would mark.
    """
    if files.nothing:
        return _with_nothing(files, files.nothing)
    if all(len(tokens) < 2 for tokens in files.explained.files[0].texts["tokens"]):
        return _with_nothing(files, "no text has two words, which could come in another order")
    places = places_of(files)
    methods = methods_in_order(files, places)
    chosen = recommended(methods, places)
    questions = five_questions(files, places, chosen.method or methods[0].name)
    return Verdict(
        files.explained.name,
        files.explained.config.corpus,
        files.texts,
        files.seeds,
        overall(questions),
        places.place(ATTENTION).estimate,
        questions,
        methods,
        chosen,
        weights=files.weights,
        not_asked=not_asked_of_majority(files.explained.files),
        marked=plausible(files) if rationales else None,
        places=places,
        data=files.data,
    )


def _with_nothing(files: Files, why: str) -> Verdict:
    """What a model that has learned nothing attends to explains nothing, and neither does a method."""
    return Verdict(
        files.explained.name,
        files.explained.config.corpus,
        files.texts,
        files.seeds,
        Answer.UNKNOWN,
        NOT_KNOWN,
        five_not_asked("there is nothing to judge"),
        [],
        Recommended(None, f"there is nothing to judge: {why}"),
        weights=files.weights,
        nothing=why,
        data=files.data,
    )


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _known(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_known(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
