"""Ours beside what was published: rows joined by what they are about, columns that people read."""

from typing import Any, Dict, List, Sequence

import numpy
import pandas

from analysis.formats import cell
from analysis.learned import NOTHING, nothing_to_judge
from analysis.model_config import ModelConfig
from analysis.roles import PLAIN
from analysis.seeds import Model

STATISTICS = ("mean", "std", "significant")
OURS_SELECTED = "Ours: the epoch selected as `selected on` says, word vectors those of the config."


def about(model: Model) -> Dict[str, str]:
    """The columns that a row is known by, whatever it measures."""
    return {
        "corpus": model.config.corpus,
        "model": model.name,
        "encoder": model.config.encoder,
        "attention": model.config.attention,
        "projection": model.config.projection,
        "role": model.config.role,
        "selected on": selected_on(model.config.config),
        NOTHING: nothing_to_judge(model.files),
    }


def selected_on(config: Dict[str, Any]) -> str:
    """The split whose metric chose the epoch; the last one is not chosen."""
    if ModelConfig(config).keeps_last_epoch:
        return "last epoch"
    validation = config.get("validation_data_path")
    if validation is None:
        return "-"
    return "test" if validation == config.get("test_data_path") else "dev"


def beside(
    ours: pandas.DataFrame, theirs: pandas.DataFrame, name: str = "published"
) -> pandas.DataFrame:
    """
    With the statistics of `theirs` as `name`, `name std`, ... in each row that agrees with one of
    theirs in all columns that both have; a row that does not has none. Ours stay as they are.
    What was published is of plain models, unless it says what else they were trained for.
    """
    if "role" not in theirs:
        theirs = theirs.assign(role=PLAIN)
    statistics = [column for column in STATISTICS if column in theirs]
    keys = [column for column in theirs if column in ours and column not in STATISTICS]
    renamed = {column: name if column == "mean" else f"{name} {column}" for column in statistics}
    theirs = theirs[keys + statistics].rename(columns=renamed)
    return ours.merge(theirs, on=keys, how="left", validate="many_to_one")


def with_difference(table: pandas.DataFrame, *published: str) -> pandas.DataFrame:
    """Of our mean from the first of the columns that has a value."""
    theirs = pandas.Series(numpy.nan, index=table.index)
    for column in published:
        theirs = theirs.fillna(table[column])
    return table.assign(difference=table["mean"] - theirs)


def readable(table: pandas.DataFrame, columns: Sequence[str]) -> pandas.DataFrame:
    """
    The columns for people, `interval` made of low and high; the mean is `ours` where there is
    another one beside it.
    """
    shown = table.assign(interval=intervals(table, "low", "high"))[list(columns)]
    names = {"random mean": "random"}
    if any(name.startswith("published") for name in columns) or "their code" in columns:
        names["mean"] = "ours"
    return shown.rename(columns=names)


def intervals(table: pandas.DataFrame, low: str, high: str, form: str = "[{}, {}]") -> List[str]:
    """As text; a dash where there is none."""
    return [
        "-" if pandas.isna(one) else form.format(cell(one), cell(other))
        for one, other in zip(table[low], table[high], strict=True)
    ]
