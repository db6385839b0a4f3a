"""How often the top word of a hybrid document lies in a fragment of the predicted class."""

import argparse
from pathlib import Path

from analysis.files import check_output
from analysis.formats import say, show, write_csv
from analysis.text_files import load_attributions
from analysis.truth.hybrid import hybrid_table, shown_hybrid

HELP = "how often the top word of a hybrid document is of the predicted class"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", type=Path, metavar="FILE", help="attribution files; several are seeds"
    )
    parser.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")


def run(arguments: argparse.Namespace) -> None:
    check_output(arguments.output, ".csv", arguments.files)
    table = hybrid_table([load_attributions(file) for file in arguments.files])
    show(shown_hybrid(table))
    say(
        "hit: the word with the highest score lies in a fragment of the predicted class (Poerner et al. 2018); "
        "ties count in expectation."
    )
    write_csv(table, arguments.output)
