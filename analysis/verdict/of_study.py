"""The verdicts on the models of a study, all in one table."""

from typing import Any, Dict, List

import pandas

from analysis.errors import AnalysisError
from analysis.output import Output
from analysis.papers.shared.study_files import StudyFiles
from analysis.verdict.answers import NOT_KNOWN
from analysis.verdict.files import files_of_study
from analysis.verdict.verdict import Verdict, judged
from analysis.written import NONE, Estimate

NAME = "verdicts"
# What tables call the answer to each of the five questions.
QUESTIONS = {
    "used": "used",
    "only": "the only weights",
    "points": "points to what matters",
    "model": "about the model",
    "stable": "stable",
}
NOTE = (
    "Attention: from random orders of words (0) to the best order (1), the mean over the ways to remove "
    "words, by comprehensiveness and sufficiency; the same for the method to show. Other columns are the "
    "answers to the five questions of docs/explanation/verdict-rule.md, which has the rule. A model with no answer has "
    "nothing to judge."
)


def verdicts_of(study: StudyFiles) -> List[Verdict]:
    """One for each model that has one; two of a model that was judged twice count once."""
    by_model: Dict[Any, Verdict] = {}
    for files in files_of_study(study):
        key = (files.explained.name, files.explained.config.corpus)
        if key in by_model:
            continue
        try:
            by_model[key] = judged(files)
        except AnalysisError:
            # What was measured is not what a verdict rests on: nothing is claimed.
            continue
    return list(by_model.values())


def verdict_table(study: StudyFiles, output: Output) -> None:
    """A row a model; raises `AnalysisError` where no model has files that a verdict can rest on."""
    several = verdicts_of(study)
    if not several:
        raise AnalysisError(
            "it takes attribution and faithfulness files of a model, about the same texts, and "
            + _lacking(study)
        )
    output.table(
        NAME,
        pandas.DataFrame([verdict_row(each) for each in several]),
        "Can attention be trusted as the explanation of each model, and which method should readers see?",
        NOTE,
        shown=pandas.DataFrame([_shown(each) for each in several]),
    )


def verdict_row(verdict: Verdict) -> Dict[str, Any]:
    """For the csv."""
    return {
        "corpus": verdict.corpus,
        "model": verdict.model,
        "texts": verdict.texts,
        "seeds": verdict.seeds,
        "answer": "" if verdict.nothing else str(verdict.answer),
        **verdict.score.columns("attention"),
        **{QUESTIONS[each.name]: str(each.answer) for each in verdict.questions},
        "show": verdict.recommended.method or "",
        **_place_of_recommended(verdict).columns("place of it"),
        "why": verdict.recommended.why,
        "nothing to judge": verdict.nothing,
    }


def _shown(verdict: Verdict) -> Dict[str, Any]:
    row = verdict_row(verdict)
    return {
        "corpus": verdict.corpus,
        "model": verdict.model,
        "trust attention?": (row["answer"] or NONE) + _missing(verdict),
        "attention [95 %]": verdict.score,
        **{f"{name}?": row[name] for name in QUESTIONS.values()},
        "show readers": row["show"] or NONE,
        "its place [95 %]": _place_of_recommended(verdict),
    }


def _missing(verdict: Verdict) -> str:
    return f" ({verdict.texts_missing} texts missing)" if verdict.texts_missing else ""


def _place_of_recommended(verdict: Verdict) -> Estimate:
    method = verdict.recommended.method
    ranked = verdict.method(method) if method else None
    return ranked.place if ranked else NOT_KNOWN


def _lacking(study: StudyFiles) -> str:
    if not study.models or not study.judged:
        kind = "attribution" if not study.models else "faithfulness"
        return f"there is no {kind} file"
    explained, judged_one = study.models[0].files[0], study.judged[0].files[0]
    numbers = [len(file.texts) for file in (explained, judged_one)]
    if numbers[0] != numbers[1]:
        return (
            f"{explained.path} has {numbers[0]} texts, {judged_one.path} {numbers[1]}; "
            "explain as many as are judged (--limit)"
        )
    return "there are none"
