"""The verdicts on the models of a study in one table."""

from typing import Any

import pandas

from analysis.errors import AnalysisError
from analysis.output import Output
from analysis.papers.shared.study_files import StudyFiles
from analysis.verdict.inputs import inputs_of_study
from analysis.verdict.question import NOT_KNOWN, QUESTIONS
from analysis.verdict.verdict import Verdict, judge
from analysis.written import NONE, Estimate

NAME = "verdicts"
# The column that separates models whose predictions depend on attention from those whose do not.
DEPENDS = "predictions depend on attention"
SAID = {True: "yes", False: "no", None: ""}
NOTE = (
    "Attention: its score (0 = random order, 1 = words sorted by how much they move the output), pooled over removal "
    "methods; the same for the recommended method. Other columns are the answers to the questions of the verdict. "
    "Models come first if their predictions depend on attention: uniform weights change more than 5 % of them. A "
    "model without an answer has nothing to judge."
)


def verdicts_of(study: StudyFiles) -> list[Verdict]:
    """The verdict on each model with enough files; the first one if a model was judged twice."""
    by_model: dict[Any, Verdict] = {}
    for inputs in inputs_of_study(study):
        key = (inputs.attributions.name, inputs.attributions.config.corpus)
        if key in by_model:
            continue
        try:
            by_model[key] = judge(inputs)
        except AnalysisError:
            # Other measures were computed than a verdict needs.
            continue
    # Stable: otherwise in the order of the files.
    return sorted(by_model.values(), key=lambda each: each.depends_on_attention is False)


def verdict_table(study: StudyFiles, output: Output) -> None:
    """One row per model; raises `AnalysisError` if no model has enough files for a verdict."""
    several = verdicts_of(study)
    if not several:
        raise AnalysisError(
            "a verdict needs attribution and faithfulness files of a model, about the same texts, and "
            + _lacking(study)
        )
    output.table(
        NAME,
        pandas.DataFrame([verdict_row(each) for each in several]),
        "Can attention be trusted as the explanation of each model, and which method should readers see?",
        NOTE,
        shown=pandas.DataFrame([_shown(each) for each in several]),
    )


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """For the csv."""
    return {
        "corpus": verdict.corpus,
        "model": verdict.model,
        "texts": verdict.texts,
        "seeds": verdict.seeds,
        "answer": "" if verdict.nothing else str(verdict.answer),
        DEPENDS: SAID[verdict.depends_on_attention],
        "headline": verdict.headline,
        **verdict.score.columns("attention"),
        **_answers(verdict),
        "recommended": verdict.recommended.method or "",
        **_recommended_score(verdict).columns("recommended score"),
        "why": verdict.recommended.why,
        "nothing to judge": verdict.nothing,
    }


def _shown(verdict: Verdict) -> dict[str, Any]:
    """For people."""
    answer = NONE if verdict.nothing else str(verdict.answer)
    missing = f" ({verdict.texts_missing} texts missing)" if verdict.texts_missing else ""
    return {
        "corpus": verdict.corpus,
        "model": verdict.model,
        "trust attention?": answer + missing,
        "depends on attention?": SAID[verdict.depends_on_attention] or NONE,
        "attention [95 %]": verdict.score,
        **{f"{name}?": answer for name, answer in _answers(verdict).items()},
        "recommended": verdict.recommended.method or NONE,
        "its score [95 %]": _recommended_score(verdict),
    }


def _answers(verdict: Verdict) -> dict[str, str]:
    return {
        question.column: str(verdict.finding(question.name).answer)
        for question in QUESTIONS.values()
        if not question.option
    }


def _recommended_score(verdict: Verdict) -> Estimate:
    method = verdict.recommended.method
    ranked = verdict.method(method) if method else None
    return ranked.score if ranked else NOT_KNOWN


def _lacking(study: StudyFiles) -> str:
    if not study.models or not study.judged:
        kind = "attribution" if not study.models else "faithfulness"
        return f"there is no {kind} file"
    explained, judged_one = study.models[0].files[0], study.judged[0].files[0]
    numbers = [len(file.texts) for file in (explained, judged_one)]
    if numbers[0] != numbers[1]:
        return (
            f"{explained.path} has {numbers[0]} texts, {judged_one.path} {numbers[1]}; "
            "use the same --limit for both"
        )
    return "there are none"
