"""
How often each method puts first what the rationale of a text marks: a known cause of the label, or
what people have marked.
"""

import argparse
from pathlib import Path

from analysis.attributions import load_attributions
from analysis.causes import causes_of_several, in_words, side_by_side
from analysis.commands.printed import say, show, write_csv
from analysis.files import check_output

HELP = "how often each method puts first what the rationale marks"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="attribution files")
    parser.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")


def run(arguments: argparse.Namespace) -> None:
    check_output(arguments.output, ".csv", arguments.files)
    table = causes_of_several([load_attributions(file) for file in arguments.files])
    said = ["file", "unmarked", "rationales"]
    show(table.drop(columns=said) if len(arguments.files) == 1 else side_by_side(table))
    for sentence in in_words(table):
        say(sentence)
    write_csv(table, arguments.output)
