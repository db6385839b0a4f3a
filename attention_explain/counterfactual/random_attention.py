"""Weights that know nothing: the control of every other attention."""

import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation
from attention_explain.counterfactual.replacement import Replacement


@Perturbation.register("random")
class RandomAttention(Replacement):
    """
    Weights drawn from Dirichlet(1, ..., 1): any distribution over the tokens is as likely as any
    other.

    Registered as a `Perturbation` with name "random".

    # Parameters

    seed : `int`, optional (default = `0`)
        With the instance's id it decides the weights.
    """

    called = "random weights"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def weights(self, texts: FixedStates) -> torch.Tensor:
        return texts.drawn(self.seed, "random attention", _dirichlet)


def _dirichlet(generator: torch.Generator, attention: torch.Tensor) -> torch.Tensor:
    numbers = torch.empty_like(attention).exponential_(generator=generator)
    return numbers / numbers.sum()
