"""The table of trained models: what each reached on the test split."""

from typing import List

import pandas

from analysis.runs import Run

METRICS = {
    "accuracy": "accuracy",
    "f1": "F1",
    "macro_f1": "macro F1",
    "auc": "AUC",
    "attention_entropy": "entropy",
    "attention_zeros": "zeros",
}


def models_table(runs: List[Run]) -> pandas.DataFrame:
    """
    One row a run; `entropy` and `zeros` are those of its attention. Where one was not evaluated on the test
    split, `split` says which. Where a training was interrupted and could not be recovered exactly, `recovered`
    says which: it may differ from an unbroken one.
    """
    rows = []
    for run in runs:
        row = {
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
