"""
Published tables, joined with our rows, and the columns that people read.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.claims.table_rows import PRINTED
from analysis.model_config import PLAIN, ModelConfig
from analysis.models import Model, protocol_of
from analysis.performance import NOTHING, nothing_to_judge
from analysis.written import interval_column

PAPERS = Path(__file__).parents[1]
COLUMNS = {
    "dataset": "corpus",
    "predicted_class": "predicted",
    "compared_with": "importance",
    "mean_tau": "mean",
    "mean_entropy": "mean",
    "correlation_of_lambda_and_entropy": "mean",
    "accuracy": "mean",
    "std_tau": "std",
    "significant_fraction": "significant",
}
# Neely & Schouten call scaled dot product what the others call dot.
WORDS = {
    "sdp": "dot",
    "leave_one_out": "leave-one-out",
    "avg": "average-length",
    "non_zero": "non-zero",
}
STATISTICS = ("mean", "std", "significant")
VECTORS = "theirs: fastText vectors of 300 dimensions, ours: those of the config (GloVe, 100, in the studies here)"
OURS_SELECTED = "Ours: the epoch selected as `selected on` says, word vectors those of the config."


def read_published(name: str) -> pandas.DataFrame:
    """
    The table `PAPER/NAME` from `PAPER/published/NAME.csv`, as printed or as computed by released code, with this
    project's names of columns and values. Classes are strings: "0", "1", "overall".
    """
    paper, table_name = name.split("/")
    path = PAPERS / paper / "published" / f"{table_name}.csv"
    table = pandas.read_csv(path, dtype={"predicted_class": str})
    table = table.rename(columns=COLUMNS)
    for column in table.select_dtypes(include=["object", "string"]):
        table[column] = table[column].replace(WORDS)
    return table


# Consecutive rows are often about the same model, and it takes long to find out whether it has learned anything.
@lru_cache(maxsize=1)
def about(model: Model) -> dict[str, Any]:
    """The columns that identify a model in a row, whatever the row measures."""
    columns = ("model", "encoder", "attention", "projection", "role", "protocol", "selected on")
    return {
        **about_config(model.config, "corpus", *columns),
        "model": model.name,
        NOTHING: nothing_to_judge(model.files),
    }


def about_config(config: ModelConfig, *columns: str) -> dict[str, Any]:
    """These columns of a row about a model with this config."""
    values = {
        "model": lambda: config.name,
        "protocol": lambda: protocol_of(config.config),
        "selected on": lambda: selected_on(config.config),
    }
    return {
        column: values[column]() if column in values else getattr(config, column)
        for column in columns
    }


def selected_on(config: dict[str, Any]) -> str:
    """What selected the epoch: `dev`, `test`, `last epoch`, or `-` if there is no such split."""
    if ModelConfig(config).keeps_last_epoch:
        return "last epoch"
    validation = config.get("validation_data_path")
    if validation is None:
        return "-"
    return "test" if validation == config.get("test_data_path") else "dev"


def as_printed(table: pandas.DataFrame, **decimals: int) -> pandas.DataFrame:
    """
    Published rows as a rule reads ours: about plain models and all texts, unless they say otherwise, with each of these
    numbers known up to its rounding. `decimals` has the number of decimals by column, where `mean` has no prefix.
    """
    of_all = {"role": PLAIN, "predicted": OVERALL, "projection": "softmax", PRINTED: True}
    table = table.assign(**{name: value for name, value in of_all.items() if name not in table})
    if "model" not in table:
        names = (table[name] for name in ("encoder", "attention", "projection"))
        table["model"] = [" ".join(each) for each in zip(*names, strict=True)]
    for name, digits in decimals.items():
        prefix, rounding = "" if name == "mean" else f"{name} ", 0.5 * 10**-digits
        table[f"{prefix}low"], table[f"{prefix}high"] = (
            table[name] + sign * rounding for sign in (-1, 1)
        )
    known = table[list(decimals)].notna().all(axis=1)
    return table[known].reset_index(drop=True)


def over_classes(table: pandas.DataFrame) -> pandas.DataFrame:
    """The means over the predicted classes, where a paper prints one number for each."""
    keys = [name for name in table if name not in ("predicted", *STATISTICS)]
    return table.groupby(keys, sort=False, dropna=False)["mean"].mean().reset_index()


def with_published(
    ours: pandas.DataFrame, theirs: pandas.DataFrame, name: str = "published"
) -> pandas.DataFrame:
    """
    Our rows with the published statistics in columns `name`, `name std`, ..., joined by all columns that both tables
    have. Rows without a counterpart have none. Published rows without a role are about plain models.
    """
    if "role" not in theirs:
        theirs = theirs.assign(role=PLAIN)
    statistics = [column for column in STATISTICS if column in theirs]
    keys = [column for column in theirs if column in ours and column not in STATISTICS]
    renamed = {column: name if column == "mean" else f"{name} {column}" for column in statistics}
    theirs = theirs[keys + statistics].rename(columns=renamed)
    return ours.merge(theirs, on=keys, how="left", validate="many_to_one")


def with_difference(table: pandas.DataFrame, *published: str) -> pandas.DataFrame:
    """With a column `difference`: our mean less the first of these columns with a value."""
    theirs = pandas.Series(numpy.nan, index=table.index)
    for column in published:
        theirs = theirs.fillna(table[column])
    return table.assign(difference=table["mean"] - theirs)


def with_intervals(
    shown: pandas.DataFrame, table: pandas.DataFrame, titles: Mapping[str, str]
) -> pandas.DataFrame:
    """With each of these estimates of the table: the mean under its title, and the interval after it."""
    for name, title in titles.items():
        mean = table[name if name in table else f"{name} mean"]
        shown = shown.assign(**{title: mean, f"{title}, interval": interval_column(table, name)})
    return shown


def readable(table: pandas.DataFrame, columns: Sequence[str]) -> pandas.DataFrame:
    """The columns that people read; the mean is called `ours` next to a published one."""
    shown = table.assign(interval=interval_column(table))[list(columns)]
    names = {"random mean": "random"}
    if any(name.startswith("published") for name in columns) or "their code" in columns:
        names["mean"] = "ours"
    return shown.rename(columns=names)
