"""Whether the top words of a text by a method are enough for a linear layperson to guess the classifier's label."""

import argparse
from pathlib import Path

from analysis.files import check_output
from analysis.formats import say, show, write_csv
from analysis.text_files import load_attributions

HELP = "whether the top words tell a layperson what the model predicts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("train", type=Path, help="attribution file of the texts to learn from")
    parser.add_argument(
        "test", type=Path, help="attribution file of other texts, of the same model"
    )
    parser.add_argument(
        "-k",
        "--words",
        nargs="+",
        type=int,
        default=[1, 3, 5],
        help="numbers of words (default: 1 3 5)",
    )
    parser.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")


def run(arguments: argparse.Namespace) -> None:
    # Imported here, so that the other commands do not load scikit-learn.
    from analysis.truth.simulatability import shown_simulatability, simulatability_table

    check_output(arguments.output, ".csv", [arguments.train, arguments.test])
    train, test = load_attributions(arguments.train), load_attributions(arguments.test)
    table = simulatability_table(train, test, arguments.words)
    show(shown_simulatability(table))
    say(
        "CSR: the share of texts for which a logistic regression on the k top words gives the classifier's label "
        "(Treviso & Martins 2020)."
    )
    write_csv(table, arguments.output)
