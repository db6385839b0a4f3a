"""Tables on the terminal, and as a single file."""

from pathlib import Path
from typing import Optional

import pandas

from analysis.errors import AnalysisError
from analysis.escaping import one_line
from analysis.formats import csv, texts
from durable.whole import write_whole


def show(table: pandas.DataFrame) -> None:
    """
    Prints the table, without columns that have no value, and without what would move a terminal's
    cursor.
    """
    shown = texts(table.dropna(axis="columns", how="all"), one_line)
    print(shown.to_string(index=False, float_format="%.3f", na_rep="-"))


def say(text: str) -> None:
    """Prints a sentence on a line of its own."""
    print(one_line(text))


def write_csv(table: pandas.DataFrame, path: Optional[Path]) -> None:
    """Writes the table, where a path was given."""
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, csv(table))
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be written ({error.strerror})") from error
