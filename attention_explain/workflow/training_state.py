"""The state of a run folder after an interrupted training: whether training can continue."""

import re
import shutil
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from attention_explain.files.records import read_json
from attention_explain.workflow.study import StudyError

STATES = re.compile(r"(model|training)_state_e(\d+)_b(\d+)\.th")
BEST = "best.th"
CONFIG = "config.json"
# The file that training leaves if it was recovered from a checkpoint without the state for exact recovery.
RECOVERED = "recovered"


def prepare(folder: Path, config: dict[str, Any]) -> bool:
    """
    Prepare the folder for `allennlp train`; returns whether to pass `--recover`. Incomplete checkpoints are
    removed. Without a complete one, training starts again from the beginning.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return False
    _drop_incomplete(folder)
    config_file = _read_config(folder / CONFIG)
    if not _states(folder) or not _is_complete(folder / BEST) or config_file is None:
        shutil.rmtree(folder)
        return False
    if config_file != config:
        raise StudyError(
            f"{folder}: training was started with the same settings but other paths; delete the folder, or "
            "finish training with the original paths"
        )
    return True


def _read_config(path: Path) -> Any:
    """The config; None if it is missing or damaged."""
    with suppress(OSError, ValueError):
        return read_json(path.read_bytes())
    return None


def is_recovered(folder: Path) -> bool:
    """Whether the weights may differ from those of an uninterrupted training."""
    return (folder / RECOVERED).exists()


def drop_checkpoints(folder: Path) -> None:
    """Remove the checkpoints of a finished run; `best.th` and the archive have its best weights."""
    for path in _states(folder):
        path.unlink()


def _states(folder: Path) -> dict[Path, tuple[str, str]]:
    """The files of checkpoints, with epoch and batch."""
    names = {path: STATES.fullmatch(path.name) for path in folder.iterdir()}
    return {path: (name[2], name[3]) for path, name in names.items() if name is not None}


def _drop_incomplete(folder: Path) -> None:
    """Remove checkpoints whose two files are not both complete."""
    states = _states(folder)
    complete = Counter(point for path, point in states.items() if _is_complete(path))
    best = folder / BEST
    for path, point in states.items():
        if complete[point] < 2:
            if best.exists() and best.samefile(path):
                # The epoch will be trained again.
                best.unlink()
            path.unlink()


def _is_complete(path: Path) -> bool:
    """torch saves zip archives, which end with a list of contents."""
    return path.is_file() and zipfile.is_zipfile(path)
