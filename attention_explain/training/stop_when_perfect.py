"""A training ends when no later epoch could be chosen."""

from typing import Any

from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from attention_explain.errors import InputError


@TrainerCallback.register("stop_when_perfect")
class StopWhenPerfect(TrainerCallback):
    """
    Stops after the first epoch in which the `validation_metric` (one that grows, such as `+accuracy` or
    `+auc`) is 1, the most it can be. Of equal epochs the trainer keeps the first, so that the model is
    the one that all epochs would have given; what is saved is their time.

    Registered as a `TrainerCallback` with name "stop_when_perfect".
    """

    def __init__(self, serialization_dir: str) -> None:
        super().__init__(serialization_dir)
        self._is_perfect = False

    def on_start(
        self, trainer: GradientDescentTrainer, is_primary: bool = True, **kwargs: Any
    ) -> None:
        super().on_start(trainer, is_primary=is_primary, **kwargs)
        tracked = trainer._metric_tracker.tracked_metrics
        if [sign for sign, _ in tracked] != [1.0]:
            names = ", ".join(("+" if sign > 0 else "-") + name for sign, name in tracked)
            raise InputError(
                "stop_when_perfect knows that 1 is the best of one metric that grows, such as +accuracy, "
                f"but the trainer's validation_metric is {names}"
            )
        if self._is_perfect:
            trainer._metric_tracker._patience = 0

    def on_epoch(
        self,
        trainer: GradientDescentTrainer,
        metrics: dict[str, Any],
        epoch: int,
        is_primary: bool = True,
        **kwargs: Any,
    ) -> None:
        ((_, name),) = trainer._metric_tracker.tracked_metrics
        if metrics.get(f"validation_{name}", 0.0) >= 1.0:
            # The trainer asks the tracker after this, and writes its checkpoint in between.
            trainer._metric_tracker._patience = 0
            self._is_perfect = True

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint has to store."""
        return {"is_perfect": self._is_perfect}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restore what `state_dict` returned."""
        # Checkpoints of earlier versions have no state.
        self._is_perfect = state_dict.get("is_perfect", False)
