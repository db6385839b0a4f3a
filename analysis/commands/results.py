"""RESULTS.md: what finished studies have found, and the commands that find it again."""

import argparse
from pathlib import Path

from analysis.files import check_output

HELP = "a page (RESULTS.md) of finished studies: outcomes, corrections, every table"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="DIR", help="of a finished `make study`"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="the Markdown file")


def run(arguments: argparse.Namespace) -> None:
    # Imported here, so that the other commands need nothing of what only pages need.
    from analysis.results.page import write_results

    check_output(arguments.output, ".md", arguments.folders)
    write_results(arguments.folders, arguments.output)
    print(f"written to {arguments.output}")
