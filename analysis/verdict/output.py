"""Judges the files in a folder, writes verdict.json, verdict.md and verdict.html, and prints the verdict."""

import json
import sys
from pathlib import Path

from analysis.errors import AnalysisError
from analysis.formats import say
from analysis.verdict.inputs import PREDICTIONS, load_inputs, nothing_to_judge_in
from analysis.verdict.means import LEAST_TEXTS, too_few
from analysis.verdict.page import page
from analysis.verdict.text import as_markdown, lines
from analysis.verdict.verdict import RATIONALES, Verdict, judge
from analysis.written import number
from attention_explain.files.atomic import OverwriteError, check_verdict_files, write_atomic
from attention_explain.files.stopping import read_stopped

PAGE = "verdict.html"


def write_verdict(folder: Path, rationales: bool = False, predictions: bool = False) -> Verdict:
    """
    Judge the files in FOLDER/files, or those in FOLDER/predictions alone, write the verdict into the folder
    and print it.
    """
    try:
        check_verdict_files(folder)
    except OverwriteError as error:
        raise AnalysisError(str(error)) from error
    inputs = load_inputs([folder / PREDICTIONS] if predictions else folder)
    stopped = read_stopped(folder)
    verdict = judge(inputs, [RATIONALES] if rationales else [], stopped)
    facts = {**verdict.as_json(), "stopped": stopped.as_json()}
    contents = {
        "verdict.json": json.dumps(facts, indent=1, allow_nan=False) + "\n",
        "verdict.md": as_markdown(verdict),
        PAGE: page(verdict, inputs),
    }
    try:
        for name, content in contents.items():
            write_atomic(folder / name, content.encode("utf-8", "replace"))
    except OSError as error:
        raise AnalysisError(f"{folder}: cannot be written ({error.strerror})") from error
    for line in lines(verdict, folder / PAGE):
        say(line)
    return verdict


def write_if_nothing_to_judge(folder: Path) -> Verdict | None:
    """Write the verdict if the files in FOLDER/predictions show that there is nothing to judge."""
    return (
        write_verdict(folder, predictions=True)
        if nothing_to_judge_in(folder / PREDICTIONS)
        else None
    )


def passes(verdict: Verdict, fail_under: float | None) -> bool:
    """Whether attention's score reaches a bound, if there is one; prints why it does not."""
    if fail_under is None:
        return True
    score = verdict.score.mean
    if not score >= fail_under:
        why = f"attention's score is {number(score)}, and --fail-under is {fail_under:g}"
    elif verdict.texts_missing:
        why = f"--fail-under: the score does not count, since {too_few(LEAST_TEXTS - verdict.texts_missing)}"
    else:
        return True
    print(why, file=sys.stderr)
    return False
