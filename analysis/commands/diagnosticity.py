"""
Which measures of faithfulness rank the true order of words above a random one, and methods as the truth does: on texts
with a rationale that is the truth, such as planted shortcuts.
"""

import argparse
from pathlib import Path

from analysis.files import check_output
from analysis.formats import say, show, write_csv
from analysis.text_files import load_attributions, load_faithfulness
from analysis.truth.diagnosticity import diagnosticity_table, judged_files, shown_diagnosticity

HELP = "which measures of faithfulness rank the true order above a random one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "attributions",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="attribution files of texts with a rationale",
    )
    parser.add_argument(
        "--faithfulness",
        nargs="+",
        type=Path,
        required=True,
        metavar="FILE",
        help="faithfulness files of the same models, made with --rationale",
    )
    parser.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")


def run(arguments: argparse.Namespace) -> None:
    check_output(arguments.output, ".csv", [*arguments.attributions, *arguments.faithfulness])
    attributions = [load_attributions(path) for path in arguments.attributions]
    judged = [load_faithfulness(path) for path in arguments.faithfulness]
    table = diagnosticity_table(judged_files(attributions, judged))
    show(shown_diagnosticity(table))
    say(
        "diagnosticity: how often the measure ranks the true order above a random one (0.5: a coin); tau: whether it "
        "orders methods by their average precision."
    )
    write_csv(table, arguments.output)
