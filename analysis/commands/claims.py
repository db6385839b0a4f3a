"""The papers' claims, judged by the tables that `table` and `agreement` have written into a folder."""

import argparse
from pathlib import Path

from analysis.claims.papers import TABLES, judged
from analysis.claims.tables import read_tables
from analysis.output import Output

HELP = "which claims of the papers hold, by the tables in a folder"
NAME = "claims"
SECTION = "The papers' claims"
SHOWN = ["paper", "claim", "corpus", "model", "verdict", "evidence"]
CAPTION = "Which claims of the papers hold here, and the numbers that say so."
NOTE = (
    "A part of a claim holds if the whole 95 % interval is on the right side of its bound, does not "
    "hold if the whole interval is on the other, and cannot be told in between. A claim holds if all of "
    "its parts do, and partly if some do. The bounds are ours, and stand in the csv (`rule`): papers "
    "seldom name any. Intervals of differences are those of independent numbers, which is on the safe "
    "side. With one seed they are about texts alone."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the others wrote (-o DIR)")


def run(arguments: argparse.Namespace) -> None:
    folder = arguments.folder
    output = Output(folder, SECTION)
    output.check()
    table = judged(read_tables(folder, TABLES))
    if table.empty:
        print(f"{folder}: has no table that a claim rests on")
        return
    output.table(NAME, table, CAPTION, NOTE, table[SHOWN])
    output.finish(arguments.command)
    for paper, rows in table.groupby("paper", sort=False):
        print(paper)
        for row in rows.to_dict("records"):
            print(f"  {row['verdict']:15} {row['claim']}")
            print(f"  {'':15} {row['corpus']}, {row['model']}: {row['evidence']}")
    print(f"written to {folder}")
