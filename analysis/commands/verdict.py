"""
Can attention be trusted as the explanation of a model? The answer, from the files that `allennlp
verdict` has written into FOLDER/files; with the evidence in verdict.html, verdict.md and verdict.json.
"""

import argparse
from pathlib import Path

HELP = "whether attention can be trusted, the evidence, and the method to show instead"
BELOW = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    add = parser.add_argument
    add(
        "folder",
        type=Path,
        metavar="FOLDER",
        help="folder with attribution, perturbation and faithfulness files of one model in FOLDER/files",
    )
    add(
        "--fail-under",
        type=float,
        metavar="X",
        help="exit with 1 if attention's score (0 = random order, 1 = best order found) is below X, not "
        "known, or from too few texts for an answer",
    )
    add(
        "--rationales",
        action="store_true",
        help="also ask whether attention agrees with the words that people marked",
    )


def run(arguments: argparse.Namespace) -> int:
    """Judge the folder; the exit code."""
    # Imported here, so that the other commands do not load what only pages need.
    from analysis.verdict.output import passes, write_verdict

    verdict = write_verdict(arguments.folder, arguments.rationales)
    return 0 if passes(verdict, arguments.fail_under) else BELOW
