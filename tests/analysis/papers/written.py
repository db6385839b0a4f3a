"""What an exhibit wrote, read again."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas

from analysis.output import Output


def tables(fill: Callable[..., Any], study: Any, folder: Path) -> dict[str, pandas.DataFrame]:
    """The csv of each table, by name; classes are words."""
    output = Output(folder, "a paper")
    fill(study, output)
    output.finish(["test"])
    return {
        entry["name"]: pandas.read_csv(
            folder / entry["files"]["csv"], dtype={"predicted": str}, keep_default_na=True
        )
        for entry in output.entries
        if entry["kind"] == "table"
    }


def entries(fill: Callable[..., Any], study: Any, folder: Path) -> dict[str, dict[str, Any]]:
    """Of the manifest, by name."""
    output = Output(folder, "a paper")
    fill(study, output)
    return {entry["name"]: entry for entry in output.entries}
