"""
What a training that was killed can go on from. A checkpoint is two files, the model's state and the
trainer's, and a kill while they are written leaves one of them in half or not at all.
"""

import logging
import zipfile
from pathlib import Path
from typing import Any, Dict, Set, Tuple

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import hardlink_or_copy
from allennlp.training.checkpointer import Checkpointer

logger = logging.getLogger(__name__)

BEST = "best.th"
# Epochs, and batches of the next one.
Point = Tuple[int, int]


def whole_checkpoints(checkpointer: Checkpointer) -> Set[Point]:
    """Those of which both files are there to their end; of a sharded model, all workers' files."""
    return {
        point
        for point in checkpointer._find_all_checkpoints()
        if all(_is_whole(path) for path in _files(checkpointer, point))
    }


def drop_halves(checkpointer: Checkpointer) -> None:
    """
    Removes the others, and says so: a training that comes to the same epoch again would not write
    over them.
    """
    whole = whole_checkpoints(checkpointer)
    halves = checkpointer._find_all_checkpoints() - whole
    if not halves or not checkpointer._is_primary:
        return
    newest = max(whole, default=None)
    goes_on = "training starts anew" if newest is None else f"training goes on {_after(newest)}"
    logger.warning(
        "%s: the checkpoint %s was not written to its end; %s",
        checkpointer._serialization_dir,
        ", ".join(_after(point) for point in sorted(halves)),
        goes_on,
    )
    for point in halves:
        checkpointer._remove_checkpoint(*point)


def restore_best(checkpointer: Checkpointer, trainer_state: Dict[str, Any]) -> None:
    """
    The trainer writes a checkpoint first, and the best weights after it, where they are the same.
    What a killed one did not come to is made up for here.
    """
    if checkpointer.state_is_sharded:
        return
    best = Path(checkpointer._serialization_dir) / BEST
    if _has_best_weights(trainer_state):
        if checkpointer._is_primary:
            model_state, _ = checkpointer.find_latest_checkpoint()
            best.unlink(missing_ok=True)
            hardlink_or_copy(model_state, str(best))
    elif trainer_state.get("best_model_filename") is None:
        return
    elif not _is_whole(best):
        raise ConfigurationError(
            f"{best}: was not written to its end, and no checkpoint has the weights of the best "
            "epoch; --force trains anew"
        )
    trainer_state["best_model_filename"] = str(best)


def _has_best_weights(trainer_state: Dict[str, Any]) -> bool:
    """Whether the checkpoint that this belongs to is the best epoch's."""
    tracker = trainer_state.get("metric_tracker", {})
    return (
        bool(tracker.get("is_best_so_far"))
        # A callback may leave out the validation of some epochs.
        and tracker["epoch_number"] == trainer_state["epochs_completed"]
        and trainer_state["batches_in_epoch_completed"] == 0
        # Its weights are not those that were validated.
        and "moving_average" not in trainer_state
    )


def _files(checkpointer: Checkpointer, point: Point) -> Set[Path]:
    paths = {
        Path(checkpointer._model_state_path(*point)),
        Path(checkpointer._training_state_path(*point)),
    }
    if checkpointer.state_is_sharded:
        folder = Path(checkpointer._serialization_dir)
        for kind in ("model", "training"):
            paths |= set(folder.glob(f"{kind}_state_e{point[0]}_b{point[1]}_w*.th"))
    return paths


def _is_whole(path: Path) -> bool:
    """What torch saves is a zip archive, whose list of contents comes last."""
    return path.is_file() and zipfile.is_zipfile(path)


def _after(point: Point) -> str:
    epochs, batches = point
    return f"after epoch {epochs}" + (f" and {batches} batches" if batches else "")
