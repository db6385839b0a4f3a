"""The papers' claims, judged by the tables that `table` and `agreement` have written into a folder."""

import argparse
from pathlib import Path

import pandas

from analysis.claims import CAPTION, NAME, NOTE, SHOWN, printed
from analysis.claims.multiplicity import multiplicity
from analysis.formats import say
from analysis.manifest import CLAIMS
from analysis.output import Output
from analysis.papers.discovery import judge_folder
from analysis.written import interval_column

HELP = "which claims of the papers hold, by the tables in a folder"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the others wrote (-o DIR)")


def run(arguments: argparse.Namespace) -> None:
    folder = arguments.folder
    output = Output(folder, CLAIMS)
    output.check()
    claims, numbers = judge_folder(folder)
    if claims.empty and numbers.empty:
        print(f"{folder}: has no table that a claim rests on")
        return
    if len(claims):
        counted = multiplicity(claims).sentence
        shown = claims.assign(claim=_whole_statements(claims))[SHOWN]
        output.table(NAME, claims, CAPTION, f"{NOTE} {counted}", shown)
    if len(numbers):
        shown = numbers.assign(interval=interval_column(numbers))[printed.SHOWN]
        output.table(printed.NAME, numbers, printed.CAPTION, printed.ABOUT, shown)
    output.finish(arguments.command)
    _say(claims)
    if len(numbers):
        near = int((numbers["reproduced"] == printed.YES).sum())
        print(f"{near} of {len(numbers)} printed numbers are reproduced ({printed.NAME}.csv)")
    print(f"written to {folder}")


def _whole_statements(claims: pandas.DataFrame) -> pandas.Series:
    """Of a claim that is tested again, what it says "the same" of stands before it."""
    stated = dict(zip(claims["name"], claims["claim"]))
    return (claims["corrects"].map(stated).fillna("") + " " + claims["claim"]).str.strip()


def _say(claims: pandas.DataFrame) -> None:
    for paper, rows in claims.groupby("paper", sort=False):
        print(paper)
        for row in rows.to_dict("records"):
            say(f"  {row['outcome']:16} {row['claim']}")
            say(f"  {'':16} {row['corpus']}, {row['model']}: {row['evidence']}")
