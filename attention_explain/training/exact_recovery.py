"""
The state with which a recovered training equals an unbroken one bit for bit, beyond what AllenNLP's
checkpoints hold: random generators, the order of the data, and sums over the current epoch.
"""

import logging
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from itertools import islice
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Optional, cast

import numpy
import torch
from allennlp.data import DataLoader
from allennlp.data.data_loaders import MultiProcessDataLoader, SimpleDataLoader
from allennlp.data.samplers import BucketBatchSampler, MaxTokensBatchSampler
from allennlp.models import Model
from allennlp.training import GradientDescentTrainer
from allennlp.training.callbacks import TrackEpochCallback
from allennlp.training.util import get_metrics

logger = logging.getLogger(__name__)

# The name of this state in the trainer's state.
KEY = "attention_explain"
# The file in a run's folder that says that it was recovered, but not exactly.
INEXACT = "recovered"

RandomState = dict[str, Any]
TrainEpoch = Callable[[GradientDescentTrainer, int], dict[str, float]]


def random_state() -> RandomState:
    """The states of all random generators, in tensors and plain values, which `torch.load` accepts."""
    version, words, gauss = random.getstate()
    name, keys, *rest = cast(tuple[Any, ...], numpy.random.get_state())
    return {
        "python": [version, torch.tensor(words), gauss],
        "numpy": [name, torch.from_numpy(keys.astype(numpy.int64)), *rest],
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],
    }


def set_random_state(state: RandomState) -> None:
    """Restore the random states of Python, numpy and torch."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words.tolist()), gauss))
    name, keys, *rest = state["numpy"]
    numpy.random.set_state((name, keys.numpy().astype(numpy.uint32), *rest))
    torch.set_rng_state(state["torch"])
    for device, device_state in enumerate(state["cuda"][: torch.cuda.device_count()]):
        torch.cuda.set_rng_state(device_state, device)


class Recovery:
    """
    The recovery state of one trainer: written to its checkpoints, and restored from them.

    An epoch that the checkpoint has completed is not trained again. Its data are only read again if
    the data loader carries something from one epoch to the next. An epoch that the checkpoint has
    begun reads its data from the epoch's own start, so that the batches come in the same order.
    """

    # The one that is training an epoch, if any.
    training: Optional["Recovery"] = None

    def __init__(self, trainer: GradientDescentTrainer) -> None:
        self._trainer = trainer
        # A state that was loaded and is still to be restored.
        self._loaded: dict[str, Any] | None = None
        self._epoch_start: RandomState | None = None
        # The random states with which each epoch so far read its data, if that is needed.
        self._epochs: list[dict[str, RandomState]] = []
        self._losses = EpochLosses()

    def state(self) -> dict[str, Any]:
        """Everything that a checkpoint needs for an exact continuation."""
        trainer = self._trainer
        state = {
            "random": random_state(),
            "epochs": list(self._epochs),
            "total_batches": trainer._total_batches_completed,
            "validates": trainer._should_validate_this_epoch,
            # A scheduler may freeze some for a while.
            "trainable": [each.requires_grad for each in trainer.model.parameters()],
            "scaler": None if trainer._scaler is None else trainer._scaler.state_dict(),
        }
        if trainer._batches_in_epoch_completed:
            state["epoch"] = {
                "start": self._epoch_start,
                "losses": self._losses.totals,
                "metrics": metric_states(trainer.model),
            }
        return state

    def load(self, state: dict[str, Any] | None) -> None:
        """Takes the state of the checkpoint that the trainer was restored from; None if it has none."""
        self._loaded = state
        self._epochs = [] if state is None else list(state["epochs"])
        if state is None:
            _mark_inexact(self._trainer)

    @contextmanager
    def recovering(self) -> Iterator[None]:
        """Around the training of all epochs."""
        trainer = self._trainer
        num_epochs = trainer._num_epochs
        if self._loaded is not None:
            trainer._should_validate_this_epoch = self._loaded["validates"]
        if _is_stopped(trainer):
            trainer._num_epochs = trainer._start_after_epochs_completed
        try:
            yield
        finally:
            trainer._num_epochs = num_epochs
        if self._loaded is not None:
            # No epoch was left. The test data are read next.
            self._restore_trainer(self._loaded)

    def train_epoch(self, train: TrainEpoch, epoch: int) -> dict[str, float]:
        """What `train` returns, with everything restored before it."""
        trainer = self._trainer
        if self._loaded is None:
            return self._train_next(train, epoch)
        if trainer._epochs_completed < trainer._start_after_epochs_completed:
            self._read_again(train, epoch)
            return {}
        begun = self._restore_trainer(self._loaded)
        if begun is None:
            return self._train_next(train, epoch)
        return self._train_rest(train, epoch, begun)

    def before_validation(self) -> None:
        """
        Store the random state with which the validation data are read, if their order
        depends on it.
        """
        loader = self._trainer._validation_data_loader
        if self._epochs and carries_state(loader):
            self._epochs[-1]["validation"] = random_state()

    def _train_next(self, train: TrainEpoch, epoch: int) -> dict[str, float]:
        trainer = self._trainer
        self._losses = EpochLosses()
        self._epoch_start = random_state()
        if carries_state(trainer.data_loader) or carries_state(trainer._validation_data_loader):
            self._epochs.append({"training": self._epoch_start})
        return self._train(train, epoch)

    def _train_rest(self, train: TrainEpoch, epoch: int, begun: dict[str, Any]) -> dict[str, float]:
        trainer = self._trainer
        skipped = trainer._start_after_batches_in_epoch_completed
        # The trainer counts the batches that it skips.
        trainer._total_batches_completed -= skipped
        load_metric_states(trainer.model, begun["metrics"], trainer.cuda_device)
        self._losses = EpochLosses(begun["losses"], trainer._num_gradient_accumulation_steps)
        self._epoch_start = begun["start"]
        loader = trainer.data_loader
        trainer.data_loader = BegunLoader(
            loader, skipped * trainer._num_gradient_accumulation_steps, random_state()
        )
        set_random_state(self._epoch_start)
        try:
            metrics = self._train(train, epoch)
        finally:
            trainer.data_loader = loader
        if trainer._batches_in_epoch_completed == skipped:
            # The checkpoint had the whole epoch, but not its metrics.
            totals = self._losses.totals
            metrics = {
                **get_metrics(trainer.model, *totals, None, None, skipped, reset=True),
                **metrics,
            }
        return metrics

    def _train(self, train: TrainEpoch, epoch: int) -> dict[str, float]:
        Recovery.training = self
        try:
            return train(self._trainer, epoch)
        finally:
            Recovery.training = None

    def _read_again(self, train: TrainEpoch, epoch: int) -> None:
        if epoch >= len(self._epochs):
            return
        states = self._epochs[epoch]
        set_random_state(states["training"])
        # The trainer skips all of its batches.
        train(self._trainer, epoch)
        if "validation" in states:
            set_random_state(states["validation"])
            for _ in self._trainer._validation_data_loader:
                pass

    def _restore_trainer(self, state: dict[str, Any]) -> dict[str, Any] | None:
        """Returns the state of the epoch that the checkpoint has begun, if it has."""
        trainer = self._trainer
        self._loaded = None
        trainer._total_batches_completed = state["total_batches"]
        for parameter, trainable in zip(trainer.model.parameters(), state["trainable"]):
            parameter.requires_grad_(trainable)
        if trainer._scaler is not None and state["scaler"] is not None:
            trainer._scaler.load_state_dict(state["scaler"])
        if any(isinstance(each, TrackEpochCallback) for each in trainer._callbacks):
            trainer.model.epoch = trainer._start_after_epochs_completed
        set_random_state(state["random"])
        return state.get("epoch")

    def totals(
        self,
        model: Model,
        total: float,
        total_reg: float | None,
        batch: float | None,
        batch_reg: float | None,
    ) -> tuple[float, float | None]:
        """The epoch's total loss and regularisation loss, with those before the checkpoint."""
        if model is not self._trainer.model or self._trainer._distributed:
            return total, total_reg
        return self._losses.add(total, total_reg, batch, batch_reg)


def recovery_of(trainer: GradientDescentTrainer) -> Recovery:
    """The recovery of a trainer, created on first use."""
    if not hasattr(trainer, "_recovery"):
        trainer._recovery = Recovery(trainer)
    return trainer._recovery


class EpochLosses:
    """
    The sums of loss and regularisation loss over the batches of an epoch. The trainer's own sums
    begin at the first batch that it trains.

    # Parameters

    before : `Tuple[float, Optional[float]]`, optional
        The sums of the batches before the checkpoint that the epoch was recovered from.
    batches_per_step : `int`, optional (default = `1`)
    """

    def __init__(
        self,
        before: tuple[float, float | None] | None = None,
        batches_per_step: int = 1,
    ) -> None:
        self.totals: tuple[float, float | None] = (0.0, None) if before is None else before
        self._recovered = before is not None
        self._batches_per_step = batches_per_step
        self._last_total_reg = 0.0

    def add(
        self,
        total: float,
        total_reg: float | None,
        batch: float | None,
        batch_reg: float | None,
    ) -> tuple[float, float | None]:
        """Takes the trainer's sums and the latest batch's, or None for it at the end of the epoch."""
        if not self._recovered:
            self.totals = (total, total_reg)
        elif batch is not None:
            # One after the other, as the trainer adds them: a sum of two sums is rounded differently.
            loss, reg = self.totals
            if total_reg is not None:
                # The trainer tells the latest batch's alone.
                single = self._batches_per_step == 1
                added = batch_reg if single else total_reg - self._last_total_reg
                reg = (reg or 0.0) + (added or 0.0)
                self._last_total_reg = total_reg
            self.totals = (loss + batch, reg)
        return self.totals


class BegunLoader:
    """
    A data loader of which some batches were used before the checkpoint. After these the random
    generators are set to their states in the checkpoint.
    """

    def __init__(self, loader: DataLoader, used: int, state: RandomState) -> None:
        self._loader, self._used, self._state = loader, used, state

    def __iter__(self) -> Iterator[Any]:
        batches = iter(self._loader)
        yield from islice(batches, self._used)
        set_random_state(self._state)
        yield from batches

    def __len__(self) -> int:
        return len(self._loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def carries_state(loader: DataLoader | None) -> bool:
    """
    Whether the batches of an epoch may depend on earlier epochs, and not on the random generators
    alone. True of all loaders that are not known.
    """
    if loader is None:
        return False
    if type(loader) is SimpleDataLoader:
        # It shuffles its list in place.
        return loader.shuffle or loader.batches_per_epoch is not None
    if type(loader) is not MultiProcessDataLoader:
        return True
    sampler = type(loader.batch_sampler)
    return (
        loader.batches_per_epoch is not None
        # The reader reads in every epoch.
        or loader.max_instances_in_memory is not None
        or sampler not in (type(None), BucketBatchSampler, MaxTokensBatchSampler)
    )


def metric_states(model: Model) -> dict[str, dict[str, Any]]:
    """What the metrics of a model have counted so far, by the path to each metric."""
    states: dict[str, dict[str, Any]] = {}
    for path, metric in _metrics(model).items():
        states[path] = {}
        for name, value in vars(metric).items():
            with suppress(_NotPlain):
                states[path][name] = _packed(value)
    return states


def load_metric_states(
    model: Model, states: dict[str, dict[str, Any]], device: torch.device
) -> None:
    """Restore the metrics of a model from the states in a checkpoint."""
    for path, metric in _metrics(model).items():
        for name, packed in states.get(path, {}).items():
            value, current = _unpacked(packed, device), getattr(metric, name, None)
            if isinstance(current, MutableMapping):
                # It may have a default for what it lacks.
                current.clear()
                current.update(value)
            else:
                setattr(metric, name, value)


def _metrics(model: Model) -> dict[str, Any]:
    """Everything with a `get_metric` that a model or its modules hold."""
    metrics: dict[str, Any] = {}
    seen = set()
    pending: list[tuple[str, Any]] = [("model", model)]
    while pending:
        path, value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        is_metric = hasattr(type(value), "get_metric")
        if is_metric:
            metrics[path] = value
        inner: Iterable[tuple[Any, Any]] = ()
        if isinstance(value, Mapping):
            inner = value.items()
        elif isinstance(value, (list, tuple)):
            inner = enumerate(value)
        elif is_metric or isinstance(value, torch.nn.Module):
            inner = vars(value).items()
        pending += [(f"{path}.{name}", each) for name, each in inner]
    return metrics


class _NotPlain(Exception):
    """A value that a checkpoint cannot hold, such as another object."""


def _packed(value: Any) -> Any:
    """The same in types that `torch.load` accepts, a list of its kind and its content."""
    if isinstance(value, torch.Tensor):
        return ["tensor", value.detach().clone(), value.is_cuda]
    if isinstance(value, Mapping):
        return ["dict", [[_packed(key), _packed(each)] for key, each in value.items()]]
    for kind, name in ((list, "list"), (tuple, "tuple")):
        if type(value) is kind:
            return [name, [_packed(each) for each in value]]
    if value is None or isinstance(value, (bool, str)):
        return ["value", value]
    # Also those of numpy.
    if isinstance(value, Real):
        return ["value", int(value) if isinstance(value, Integral) else float(value)]
    raise _NotPlain


def _unpacked(packed: list[Any], device: torch.device) -> Any:
    kind, content, *rest = packed
    if kind == "tensor":
        return content.to(device) if rest[0] else content
    if kind == "dict":
        return {_unpacked(key, device): _unpacked(each, device) for key, each in content}
    if kind in ("list", "tuple"):
        values = [_unpacked(each, device) for each in content]
        return values if kind == "list" else tuple(values)
    return content


def _is_stopped(trainer: GradientDescentTrainer) -> bool:
    """Whether the training had ended early when the checkpoint was written."""
    return (
        trainer._start_after_epochs_completed > 0
        and trainer._start_after_batches_in_epoch_completed == 0
        and trainer._metric_tracker.should_stop_early()
    )


def _mark_inexact(trainer: GradientDescentTrainer) -> None:
    folder = trainer._serialization_dir
    if folder is None or not trainer._primary:
        return
    mark = Path(folder) / INEXACT
    if trainer._start_after_epochs_completed or trainer._start_after_batches_in_epoch_completed:
        logger.warning(
            "%s: training goes on, but may not end with the same weights as without the interruption. "
            "Its checkpoint lacks the states of the random generators, as do those of AllenNLP alone, of "
            "earlier versions of attention_explain, and of distributed trainings.",
            folder,
        )
        mark.touch()
    else:
        mark.unlink(missing_ok=True)
