"""The papers' claims, judged by the tables that `table` and `agreement` have written into a folder."""

import argparse
from pathlib import Path

from analysis.claims import CAPTION, NAME, NOTE, SECTION, SHOWN
from analysis.claims.claim import judged
from analysis.claims.table_rows import read_tables
from analysis.formats import say
from analysis.output import Output
from analysis.papers.discovery import CLAIMS, TABLES

HELP = "which claims of the papers hold, by the tables in a folder"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the others wrote (-o DIR)")


def run(arguments: argparse.Namespace) -> None:
    folder = arguments.folder
    output = Output(folder, SECTION)
    output.check()
    table = judged(read_tables(folder, TABLES), CLAIMS)
    if table.empty:
        print(f"{folder}: has no table that a claim rests on")
        return
    output.table(NAME, table, CAPTION, NOTE, table[SHOWN])
    output.finish(arguments.command)
    for paper, rows in table.groupby("paper", sort=False):
        print(paper)
        for row in rows.to_dict("records"):
            say(f"  {row['outcome']:16} {row['claim']}")
            say(f"  {'':16} {row['corpus']}, {row['model']}: {row['evidence']}")
    print(f"written to {folder}")
