"""The papers' claims, judged by the tables that `table` and `agreement` have written into a folder."""

import argparse
from pathlib import Path

import pandas

from analysis.claims import CAPTION, NAME, NOTE, SHOWN, beside_print
from analysis.claims.multiplicity import multiplicity
from analysis.formats import say
from analysis.manifest import CLAIMS
from analysis.output import Output
from analysis.papers.discovery import judged_folder
from analysis.written import interval_column

HELP = "which claims of the papers hold, by the tables in a folder"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the others wrote (-o DIR)")


def run(arguments: argparse.Namespace) -> None:
    folder = arguments.folder
    output = Output(folder, CLAIMS)
    output.check()
    claims, printed = judged_folder(folder)
    if claims.empty and printed.empty:
        print(f"{folder}: has no table that a claim rests on")
        return
    if len(claims):
        counted = multiplicity(claims).sentence
        shown = claims.assign(claim=_whole_statements(claims))[SHOWN]
        output.table(NAME, claims, CAPTION, f"{NOTE} {counted}", shown)
    if len(printed):
        shown = printed.assign(interval=interval_column(printed))[beside_print.SHOWN]
        output.table(beside_print.NAME, printed, beside_print.CAPTION, beside_print.ABOUT, shown)
    output.finish(arguments.command)
    _say(claims)
    if len(printed):
        near = int((printed["reproduced"] == beside_print.YES).sum())
        print(f"{near} of {len(printed)} printed numbers are reproduced ({beside_print.NAME}.csv)")
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
