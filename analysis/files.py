"""Files that are read and written: the hash of what is in one, and whether one can be spared."""

import hashlib
from pathlib import Path
from typing import Iterable, Optional

from analysis.errors import AnalysisError
from durable.outputs import Costly, check_outputs


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_output(path: Optional[Path], suffix: str, inputs: Iterable[Path]) -> None:
    """Where one was asked for: says before any work that it would cost a file that is read."""
    if path is None:
        return
    try:
        check_outputs({suffix: [path]}, inputs)
    except Costly as error:
        raise AnalysisError(str(error)) from error
