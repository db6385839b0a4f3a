"""`python -m analysis`: tables from files."""

import argparse
import sys
from pathlib import Path
from typing import List, Optional

from analysis.errors import AnalysisError
from analysis.models_table import as_text, models_table
from analysis.runs import load_runs


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m analysis", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    models = commands.add_parser("models", help="what trained models reached on the test split")
    models.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    models.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")
    models.set_defaults(function=_models)

    parsed = parser.parse_args(arguments)
    try:
        parsed.function(parsed)
    except AnalysisError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _models(arguments: argparse.Namespace) -> None:
    table = models_table(load_runs(arguments.runs))
    print(as_text(table))
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(arguments.output, index=False)


if __name__ == "__main__":
    sys.exit(main())
