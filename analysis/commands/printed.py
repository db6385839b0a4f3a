"""Tables on the terminal, and as a single file."""

from pathlib import Path
from typing import Optional

import pandas

from analysis.errors import AnalysisError
from durable.whole import write_whole


def show(table: pandas.DataFrame) -> None:
    """Columns without a value are left out."""
    shown = table.dropna(axis="columns", how="all")
    print(shown.to_string(index=False, float_format="%.3f", na_rep="-"))


def write_csv(table: pandas.DataFrame, path: Optional[Path]) -> None:
    """Where one was asked for."""
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, table.to_csv(index=False))
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be written ({error.strerror})") from error
