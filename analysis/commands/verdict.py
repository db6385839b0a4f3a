"""
Can attention be trusted as the explanation of a model? The answer, from the files that `allennlp
verdict` has written into FOLDER/files; with the evidence in verdict.html, verdict.md and verdict.json.
"""

import argparse
import json
import sys
from pathlib import Path

from analysis.errors import AnalysisError
from analysis.formats import say
from analysis.written import number

HELP = "whether attention can be trusted, what it rests on, and what to show instead"
BELOW = 1
# With --predictions, and an answer still to be looked for.
SOMETHING = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "folder",
        type=Path,
        metavar="FOLDER",
        help="with attribution, perturbation and faithfulness files of one model in FOLDER/files",
    )
    add(
        "--fail-under",
        type=float,
        metavar="X",
        help="exit with 1 if attention's score, from 0 for random orders to 1 for the best, is below X, not "
        "known, or from too few texts for an answer",
    )
    add(
        "--rationales",
        action="store_true",
        help="also ask whether attention is what people would mark",
    )
    add(
        "--predictions",
        action="store_true",
        help="look at FOLDER/predictions alone: write the verdict if there is nothing to judge, and end "
        f"with exit code {SOMETHING} if there is something",
    )


def run(arguments: argparse.Namespace) -> int:
    # Imported here, so that the other commands need nothing of what only pages need.
    from analysis.verdict.files import PREDICTIONS, load_files, nothing_in
    from analysis.verdict.means import LEAST_TEXTS, too_few
    from analysis.verdict.page import page
    from analysis.verdict.verdict import judged
    from analysis.verdict.words import as_markdown, lines
    from attention_explain.files.own_files import check_verdict_files
    from attention_explain.files.whole import Costly, write_whole

    folder = arguments.folder
    try:
        check_verdict_files(folder)
    except Costly as error:
        raise AnalysisError(str(error)) from error
    if arguments.predictions and not nothing_in(folder / PREDICTIONS):
        return SOMETHING
    files = load_files([folder / PREDICTIONS] if arguments.predictions else folder)
    verdict = judged(files, arguments.rationales)
    made = {
        "verdict.json": json.dumps(verdict.as_json(), indent=1, allow_nan=False) + "\n",
        "verdict.md": as_markdown(verdict),
        "verdict.html": page(verdict, files),
    }
    try:
        for name, content in made.items():
            write_whole(folder / name, content.encode("utf-8", "replace"))
    except OSError as error:
        raise AnalysisError(f"{folder}: cannot be written ({error.strerror})") from error
    for line in lines(verdict, folder / "verdict.html"):
        say(line)
    score = verdict.score.mean
    if arguments.fail_under is not None and not score >= arguments.fail_under:
        print(
            f"attention's score is {number(score)}, and --fail-under is {arguments.fail_under:g}",
            file=sys.stderr,
        )
        return BELOW
    if arguments.fail_under is not None and verdict.texts_missing:
        print(
            f"--fail-under: the score does not count, since {too_few(LEAST_TEXTS - verdict.texts_missing)}",
            file=sys.stderr,
        )
        return BELOW
    return 0
