"""
What a training that was killed can go on from. A checkpoint is two files, the model's state and the
trainer's, and a kill while they are written leaves one of them in half or not at all.
"""

import logging
import zipfile
from pathlib import Path
from typing import Any

from allennlp.common.file_utils import hardlink_or_copy
from allennlp.training import GradientDescentTrainer
from allennlp.training.checkpointer import Checkpointer

from attention_explain.errors import InputError
from attention_explain.files.records import read_json
from attention_explain.output import writing

logger = logging.getLogger(__name__)

BEST = "best.th"
# Epochs, and batches of the next one.
Point = tuple[int, int]


def whole_checkpoints(checkpointer: Checkpointer) -> set[Point]:
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
    goes_on = "training starts again" if newest is None else f"training goes on {_after(newest)}"
    logger.warning(
        "%s: the checkpoint %s was not written to its end; %s",
        checkpointer._serialization_dir,
        ", ".join(_after(point) for point in sorted(halves)),
        goes_on,
    )
    best = Path(checkpointer._serialization_dir) / BEST
    for point in halves:
        weights = Path(checkpointer._model_state_path(*point))
        if best.exists() and weights.exists() and best.samefile(weights):
            # Of an epoch that will be trained again, or never.
            best.unlink()
        checkpointer._remove_checkpoint(*point)


def restore_best(trainer: GradientDescentTrainer) -> None:
    """
    The trainer writes a checkpoint first, and the best weights after it. What a killed one did not
    come to is made up for here, so that the best weights are those that the metrics are about.
    """
    checkpointer = trainer._checkpointer
    if checkpointer is None or checkpointer.state_is_sharded or not _goes_on(trainer):
        return
    if trainer._serialization_dir is None:
        # Such a trainer keeps no best weights.
        return
    best = Path(checkpointer._serialization_dir) / BEST
    if _has_best_weights(trainer):
        if trainer._primary:
            _write_best(trainer, best)
    elif trainer._best_model_filename is None:
        return
    elif not _is_whole(best):
        logger.warning(
            "%s: is missing or was not written to its end. Training goes on, but fails at its end if "
            "no later epoch is better.",
            best,
        )
    trainer._best_model_filename = str(best)


def check_best(path: Path) -> None:
    """Raises if the best weights, with which a training ends, cannot be read."""
    if not _is_whole(path):
        raise InputError(
            f"{path}: is missing or was not written to its end, and no checkpoint has the weights of "
            "the best epoch. --force trains again."
        )


def with_last_epoch(trainer: GradientDescentTrainer, metrics: dict[str, Any]) -> dict[str, Any]:
    """
    The metrics of a training, with those of its last epoch before it was killed where no later epoch
    has them: none was left to train, or none was validated.
    """
    last = trainer._start_after_epochs_completed - 1
    if last < 0 or trainer._serialization_dir is None:
        return metrics
    path = Path(trainer._serialization_dir) / f"metrics_epoch_{last}.json"
    try:
        written = read_json(path.read_bytes())
    except (OSError, ValueError):
        if "epoch" not in metrics:
            logger.warning("%s: cannot be read; metrics.json says nothing of that epoch", path)
        return metrics
    return {**written, **metrics}


def _goes_on(trainer: GradientDescentTrainer) -> bool:
    return bool(
        trainer._start_after_epochs_completed or trainer._start_after_batches_in_epoch_completed
    )


def _has_best_weights(trainer: GradientDescentTrainer) -> bool:
    """Whether the checkpoint that was loaded is the best epoch's."""
    tracker = trainer._metric_tracker
    if not tracker.is_best_so_far() or trainer._start_after_batches_in_epoch_completed:
        return False
    recovery_state = trainer._checkpointer._recovery_state
    if recovery_state is not None:
        # By the same rule as the trainer.
        return recovery_state["validates"]
    # A callback may leave out the validation of some epochs.
    return tracker._epoch_number == trainer._start_after_epochs_completed


def _write_best(trainer: GradientDescentTrainer, best: Path) -> None:
    averages = trainer._moving_average
    with writing(best) as unfinished:
        if averages is None:
            model_state, _ = trainer._checkpointer.find_latest_checkpoint()
            hardlink_or_copy(model_state, str(unfinished))
            return
        # These were validated, and not the checkpoint's weights.
        averages.assign_average_value()
        try:
            trainer._save_model_state(str(unfinished))
        finally:
            averages.restore()


def _files(checkpointer: Checkpointer, point: Point) -> set[Path]:
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
