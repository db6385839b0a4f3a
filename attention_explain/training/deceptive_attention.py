"""
Attention taught to hide what the model goes by: mass on impermissible tokens is penalised (Pruthi
et al. 2020).
"""

from collections.abc import Sequence
from typing import Any

import torch
from allennlp.training.callbacks import TrainerCallback
from allennlp.training.gradient_descent_trainer import GradientDescentTrainer

from attention_explain.errors import InputError
from attention_explain.training.objective import Objective, ObjectiveCallback, full_precision

NO_MASK = "has no field 'impermissible', and deceptive_attention was given no words"


class DeceptiveObjective(Objective):
    """
    The model's loss - strength * log(1 - m), for the attention mass m on impermissible tokens; the
    penalty is a mean or a sum over the batch, as the loss is. Reported as a mean over texts.
    """

    name = "deceptive_loss"
    measures = ("impermissible_mass", "deception_penalty", "deceptive_loss")

    def __init__(
        self, strength: float, loss_reduction: str, words: Sequence[str] | None = None
    ) -> None:
        super().__init__()
        self._strength = strength
        self._reduce = torch.mean if loss_reduction == "mean" else torch.sum
        self._words = None if words is None else {word.lower() for word in words}

    def __call__(self, output: dict[str, Any]) -> None:
        mask = output["mask"]
        impermissible = self._impermissible(output) & mask
        attention = full_precision(output["attention"])
        # What is left for the other tokens, summed and not subtracted from 1: as the mass goes to 1
        # the difference would round to 0, and its logarithm and gradient be lost.
        permissible = attention.masked_fill(impermissible, 0.0).sum(dim=-1)
        penalties = -permissible.clamp(min=torch.finfo(permissible.dtype).tiny).log()
        # A text of impermissible tokens alone leaves attention no choice.
        penalties = torch.where((mask & ~impermissible).any(dim=-1), penalties, 0.0)
        self.record(
            impermissible_mass=attention.masked_fill(~impermissible, 0.0).sum(dim=-1),
            deception_penalty=penalties,
        )
        if "loss" in output:
            output[self.name] = output["loss"] + self._strength * self._reduce(penalties)
            # Each text's share of the batch's: the metric is the mean over texts, whichever of
            # them were in a batch together.
            share = output[self.name].detach() / self._reduce(torch.ones_like(penalties))
            self.record(deceptive_loss=share.expand(len(mask)))

    def _impermissible(self, output: dict[str, Any]) -> torch.Tensor:
        """Shape: (batch, tokens)"""
        if self._words is None:
            if "impermissible" not in output:
                raise InputError(f"text {output['ids'][0]!r} {NO_MASK}")
            return output["impermissible"]
        mask = output["mask"]
        is_marked = [word.lower() in self._words for tokens in output["tokens"] for word in tokens]
        marked = torch.zeros_like(mask)
        marked[mask] = torch.tensor(is_marked, device=mask.device)
        return marked


@TrainerCallback.register("deceptive_attention")
class DeceptiveAttention(ObjectiveCallback):
    """
    Adds -strength * log(1 - m) to the model's loss, for the attention mass m on impermissible
    tokens. These are the reader's `impermissible` mask, or the tokens of a list of words.

    Metrics, besides the model's own: `impermissible_mass` (its mean), `deception_penalty` (the mean
    of -log(1 - m)) and `deceptive_loss`, a mean over texts whatever `loss_reduction` is.

    Registered as a `TrainerCallback` with name "deceptive_attention".

    # Parameters

    strength : `float`
        0 only measures the mass.
    words : `List[str]`, optional (default = `None`)
        The impermissible tokens, in upper or lower case, in place of the reader's mask.
    """

    def __init__(
        self, serialization_dir: str, strength: float, words: list[str] | None = None
    ) -> None:
        super().__init__(serialization_dir)
        if not strength >= 0:
            raise InputError(f"strength is {strength}, but must be 0 or more")
        if words is not None and not words:
            raise InputError("words is empty, so that no token would be impermissible")
        self.strength = strength
        self.words = words

    def make_objective(self, trainer: GradientDescentTrainer) -> DeceptiveObjective:
        if self.words is None:
            for loader in (trainer.data_loader, trainer._validation_data_loader):
                for instance in loader.iter_instances() if loader is not None else ():
                    if "impermissible" not in instance.fields:
                        id = instance["metadata"].metadata["id"]
                        raise InputError(f"text {id!r} {NO_MASK}")
        return DeceptiveObjective(self.strength, trainer.model.loss_reduction, self.words)
