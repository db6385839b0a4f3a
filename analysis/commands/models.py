"""What trained models reached on the test split."""

import argparse
import sys
from pathlib import Path

from analysis.files import check_output
from analysis.formats import show, write_csv
from analysis.models_table import models_table
from analysis.runs import load_runs

HELP = "what trained models reached on the test split"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")


def run(arguments: argparse.Namespace) -> None:
    check_output(arguments.output, ".csv", arguments.runs)
    runs, unfinished = load_runs(arguments.runs)
    table = models_table(runs)
    show(table)
    for error in unfinished:
        print(f"left out: {error}", file=sys.stderr)
    write_csv(table, arguments.output)
