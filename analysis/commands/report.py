"""One page, complete in itself, of everything that the analyses have written into a folder."""

import argparse
from pathlib import Path

HELP = "a page (report.html) of all that the other commands have written into a folder"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the others wrote (-o DIR)")


def run(arguments: argparse.Namespace) -> None:
    # Imported here, so that the other commands need nothing of what only pages need.
    from analysis.report.page import write_report

    print(write_report(arguments.folder))
