"""
Training on something else than the model's own loss: an objective looks at every output of the
model, and a callback takes the backward pass over.
"""

import weakref
from typing import Any

import torch
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.callbacks.backward import OnBackwardException
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from attention_explain.errors import InputError
from attention_explain.models.metrics import InstanceMean


class Objective:
    """
    Adds its loss, a scalar, to each output of the model under `name`, and reports the means of its
    `measures`, `name` among them. One of the model's `extra_metrics`.
    """

    name: str
    measures: tuple[str, ...]

    def __init__(self) -> None:
        # All of them from the start: workers of distributed training wait for each other at each
        # mean, and one of them may have seen no batch.
        self._means = {name: InstanceMean() for name in self.measures}

    def __call__(self, output: dict[str, Any]) -> None:
        raise NotImplementedError

    def record(self, **values: torch.Tensor) -> None:
        """One number an instance, each. Shape: (batch,)"""
        for name, numbers in values.items():
            self._means[name](numbers)

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """The mean of each component of the loss by name."""
        return {name: mean.get_metric(reset) for name, mean in self._means.items()}


class EpochsTrained:
    """
    Grows with every epoch: `validation_metric: "+epochs_trained"` keeps the last. One of the
    model's `extra_metrics`.
    """

    def __init__(self, trainer: GradientDescentTrainer) -> None:
        self._trainer = weakref.ref(trainer)

    def __call__(self, output: dict[str, Any]) -> None:
        """What the outputs are has no say."""

    def get_metric(self, reset: bool = False) -> dict[str, float]:
        """The number of epochs trained so far."""
        trainer = self._trainer()
        if trainer is None:
            return {}
        return {"epochs_trained": min(trainer._epochs_completed + 1, trainer._num_epochs)}


class ObjectiveCallback(TrainerCallback):
    """
    Trains the model on an objective instead of its loss. The model's own `loss` is still reported;
    the objective's metrics are next to it, in training, validation and test, so that
    `validation_metric`, `patience` and the choice of the best epoch can go by them; so can they by
    `epochs_trained`, to keep the last epoch.
    """

    def make_objective(self, trainer: GradientDescentTrainer) -> Objective:
        """Called once, before training: what cannot work must be said here."""
        raise NotImplementedError

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary=is_primary, **kwargs)
        if not hasattr(trainer.model, "extra_metrics"):
            raise InputError(
                f"{type(self).__name__} trains an attention_classifier, but the model is a "
                f"{type(trainer.model).__name__}"
            )
        alike = [each for each in trainer._callbacks if isinstance(each, ObjectiveCallback)]
        if len(alike) > 1:
            names = " and ".join(type(each).__name__ for each in alike)
            raise InputError(
                f"{names} would each train the model on a loss of its own; a config may have one"
            )
        self._check_texts(trainer)
        self.objective = self.make_objective(trainer)
        trainer.model.extra_metrics += [self.objective, EpochsTrained(trainer)]

    def _check_texts(self, trainer: GradientDescentTrainer) -> None:
        first = next(iter(trainer.data_loader.iter_instances()), None)
        if first is not None and "metadata" not in first.fields:
            raise InputError(
                f"{type(self).__name__} must know the id and the tokens of each text, which this "
                "dataset reader does not tell; the reader attention_text does"
            )

    def on_backward(
        self,
        trainer: GradientDescentTrainer,
        batch_outputs: dict[str, torch.Tensor],
        backward_called: bool,
        **kwargs: Any,
    ) -> bool:
        if backward_called:
            raise OnBackwardException(f"{type(self).__name__} must be the only one to do so.")
        loss = batch_outputs[self.objective.name]
        if "reg_loss" in batch_outputs:
            loss = loss + batch_outputs["reg_loss"]
        if torch.isnan(loss):
            raise ValueError(f"nan {self.objective.name} encountered")
        loss = loss / batches_in_group(trainer)
        # In distributed training this also averages the gradients over the workers.
        (trainer._scaler.scale(loss) if trainer._scaler is not None else loss).backward()
        return True


def batches_in_group(trainer: GradientDescentTrainer) -> int:
    """
    How many batches the current step accumulates gradients over: the last step of an epoch may have
    fewer than the others. A loader that does not know its length is taken to have no such step.
    """
    most = trainer._num_gradient_accumulation_steps
    try:
        left = len(trainer.data_loader) - trainer._batches_in_epoch_completed * most
    except TypeError:
        return most
    # Never 0, even if a loader has given more than it said.
    return max(1, min(most, left))


def full_precision(values: torch.Tensor) -> torch.Tensor:
    """Half-precision numbers, as mixed precision training makes them, as single-precision ones."""
    return values.to(torch.promote_types(values.dtype, torch.float32))
