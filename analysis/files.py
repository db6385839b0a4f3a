"""Files that are written: whether what is there can be spared."""

from collections.abc import Iterable
from pathlib import Path

from analysis.errors import AnalysisError
from attention_explain.files.atomic import OverwriteError, check_outputs


def check_output(path: Path | None, suffix: str, inputs: Iterable[Path]) -> None:
    """Where one was asked for: says before any work that it would cost a file that is read."""
    if path is None:
        return
    try:
        check_outputs({suffix: [path]}, inputs)
    except OverwriteError as error:
        raise AnalysisError(str(error)) from error
