"""RESULTS.md: what finished studies have found, and a page for each of them."""

import argparse
from pathlib import Path

from analysis.files import check_output

HELP = "a page (RESULTS.md) of finished studies: the answer, claims, what differs from print; and one for each study"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folders", nargs="+", type=Path, metavar="DIR", help="of a finished `make study`"
    )
    parser.add_argument("-o", "--output", type=Path, required=True, help="the Markdown file")
    parser.add_argument(
        "--readme", type=Path, help="also write the section of this file that says what was found"
    )


def run(arguments: argparse.Namespace) -> None:
    # Imported here, so that the other commands need nothing of what only pages need.
    from analysis.results.page import write_results

    check_output(arguments.output, ".md", arguments.folders)
    write_results(arguments.folders, arguments.output, arguments.readme)
    print(f"written to {arguments.output}")
