"""`python -m analysis`: tables from files."""

import argparse
import sys
from pathlib import Path
from typing import List, Optional

import pandas

from analysis.attributions import load_attributions
from analysis.causes import causes_of_several, side_by_side
from analysis.errors import AnalysisError
from analysis.models_table import models_table
from analysis.runs import load_runs


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m analysis", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    models = commands.add_parser("models", help="what trained models reached on the test split")
    models.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    models.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")
    models.set_defaults(function=_models)

    causes = commands.add_parser(
        "causes", help="how often each method puts a known cause of the label first"
    )
    causes.add_argument("files", nargs="+", type=Path, metavar="FILE", help="attribution files")
    causes.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")
    causes.set_defaults(function=_causes)

    parsed = parser.parse_args(arguments)
    try:
        parsed.function(parsed)
    except AnalysisError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _models(arguments: argparse.Namespace) -> None:
    _show(models_table(load_runs(arguments.runs)), arguments.output)


def _causes(arguments: argparse.Namespace) -> None:
    table = causes_of_several([load_attributions(file) for file in arguments.files])
    one_file = len(arguments.files) == 1
    _show(table if one_file else side_by_side(table), arguments.output, whole=table)


def _show(
    table: pandas.DataFrame, output: Optional[Path], whole: Optional[pandas.DataFrame] = None
) -> None:
    """Prints the table, and writes it (or the whole of which it is an extract) where asked."""
    shown = table.dropna(axis="columns", how="all")
    print(shown.to_string(index=False, float_format="%.3f", na_rep="-"))
    if output is not None:
        output.parent.mkdir(parents=True, exist_ok=True)
        (table if whole is None else whole).to_csv(output, index=False)


if __name__ == "__main__":
    sys.exit(main())
