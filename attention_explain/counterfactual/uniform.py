"""The same weight for every token."""

import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation
from attention_explain.counterfactual.replacement import Replacement


@Perturbation.register("uniform")
class UniformAttention(Replacement):
    """
    Every token that attention sees gets the same weight. The model is not trained for it: for one
    that is, train with the projection `uniform`.

    Registered as a `Perturbation` with name "uniform".
    """

    called = "uniform weights"

    def weights(self, texts: FixedStates) -> torch.Tensor:
        seen = texts.attendable.to(texts.attention)
        return seen / seen.sum(dim=-1, keepdim=True)
