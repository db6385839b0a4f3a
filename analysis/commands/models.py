"""What trained models reached on the test split."""

import argparse
import sys
from pathlib import Path
from typing import Any

import pandas

from analysis.files import check_output
from analysis.formats import show, write_csv
from analysis.runs import Run, load_runs

METRICS = {
    "accuracy": "accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
    "auc": "AUC",
    "attention_entropy": "entropy",
    "attention_zeros": "zeros",
}


def models_table(runs: list[Run]) -> pandas.DataFrame:
    """
    One row per run; `entropy` and `zeros` are those of its attention. Where one was not evaluated on the test
    split, `split` says which. Where a training was interrupted and could not be recovered exactly, `recovered`
    says which: it may differ from an unbroken one.
    """
    rows = []
    for run in runs:
        row: dict[str, Any] = {
            "model": run.name,
            "encoder": run.model.encoder,
            "scorer": run.model.scorer,
            "projection": run.model.projection,
            "seed": run.model.seed,
        }
        row.update({title: run.metric(name) for name, title in METRICS.items()})
        rows.append(row)
    table = pandas.DataFrame(rows)
    if not all(run.tested for run in runs):
        table["split"] = ["test" if run.tested else "dev" for run in runs]
    if any(run.recovered for run in runs):
        table["recovered"] = ["yes" if run.recovered else "no" for run in runs]
    return table


HELP = "what trained models reached on the test split"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders")
    parser.add_argument("-o", "--output", type=Path, help="also write the table here, as csv")


def run(arguments: argparse.Namespace) -> None:
    check_output(arguments.output, ".csv", arguments.runs)
    runs, unfinished = load_runs(arguments.runs)
    table = models_table(runs)
    show(table)
    for error in unfinished:
        print(f"left out: {error}", file=sys.stderr)
    write_csv(table, arguments.output)
