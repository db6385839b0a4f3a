"""
How well each method finds what the rationale of a text marks, a known cause of the label or what
people have marked: how often it comes first, and its average precision; and whether what is known to
speak against the label gets a negative score.
"""

import argparse
from pathlib import Path

from analysis.files import check_output
from analysis.formats import say, show, write_csv
from analysis.plausibility.causes import (
    CONTRARY,
    FIRST,
    PRECISION,
    causes_of_several,
    in_words,
    shown_causes,
    side_by_side,
)
from analysis.text_files import load_attributions

HELP = "how well each method finds what the rationale marks"
# Side by side, where there are several files.
COMPARED = (FIRST, PRECISION, CONTRARY)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="attribution files")
    parser.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")


def run(arguments: argparse.Namespace) -> None:
    check_output(arguments.output, ".csv", arguments.files)
    table = causes_of_several([load_attributions(file) for file in arguments.files])
    if len(arguments.files) == 1:
        show(shown_causes(table))
    else:
        for number, column in enumerate(COMPARED):
            if table[column].notna().any():
                print("\n" * bool(number) + column)
                show(side_by_side(table, column))
    for sentence in in_words(table):
        say(sentence)
    write_csv(table, arguments.output)
