"""What a killed training left: whether it can go on, and from where."""

import re
import shutil
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Dict, List

from attention_explain.files.records import read_json
from attention_explain.workflow.errors import StudyError

STATES = re.compile(r"(model|training)_state_e(\d+)_b(\d+)\.th")
BEST = "best.th"
CONFIG = "config.json"
# Marks a run that was recovered from a checkpoint without the state that exact recovery needs. The training
# itself leaves it.
RECOVERED = "recovered"


def prepare(folder: Path, config: Dict[str, Any]) -> bool:
    """
    Makes the folder fit for `allennlp train`: whether to give `--recover`. Halves of checkpoints
    are removed; a training without a whole one starts anew, and is then as if never broken.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return False
    _drop_halves(folder)
    if not _states(folder) or not _is_whole(folder / BEST):
        shutil.rmtree(folder)
        return False
    stored = _stored(folder / CONFIG)
    if stored is None:
        shutil.rmtree(folder)
        return False
    if stored != config:
        raise StudyError(
            f"{folder}: was begun with the same settings but other paths; delete it, or finish it "
            "where it was begun"
        )
    return True


def _stored(path: Path) -> Any:
    """None if it is not there, or damaged."""
    with suppress(OSError, ValueError):
        return read_json(path.read_bytes())
    return None


def is_recovered(folder: Path) -> bool:
    """Whether its weights may differ from those of an unbroken training."""
    return (folder / RECOVERED).exists()


def drop_checkpoints(folder: Path) -> None:
    """Of a finished run: its best weights are in `best.th` and in the archive."""
    for path in _states(folder):
        path.unlink()


def _states(folder: Path) -> List[Path]:
    return [path for path in folder.iterdir() if STATES.fullmatch(path.name)]


def _drop_halves(folder: Path) -> None:
    """A checkpoint is two files; both have to be whole."""
    whole: Dict[Any, int] = {}
    for path in _states(folder):
        _, *point = STATES.fullmatch(path.name).groups()
        whole[tuple(point)] = whole.get(tuple(point), 0) + _is_whole(path)
    best = folder / BEST
    for path in _states(folder):
        _, *point = STATES.fullmatch(path.name).groups()
        if whole[tuple(point)] < 2:
            if best.exists() and best.samefile(path):
                # Of an epoch that will be trained again.
                best.unlink()
            path.unlink()


def _is_whole(path: Path) -> bool:
    """What torch saves is a zip archive, whose list of contents comes last."""
    return path.is_file() and zipfile.is_zipfile(path)
