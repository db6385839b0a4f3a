"""Do the weights have to be where they are? Jain & Wallace 2019, section 4.2.1."""

from collections.abc import Mapping

import numpy
import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation
from attention_explain.errors import InputError
from attention_explain.files.perturbations import Field
from attention_explain.modules.projections import total_variation


@Perturbation.register("permutation")
class PermutedAttention(Perturbation):
    """
    The weights of a text in another order, many times. The result has the `tvd` of the output for
    each permutation, their `median_tvd` (of an even number the mean of the middle two), `mean_tvd`
    and `max_tvd`, and the attention's largest weight `max_attention`, by which the paper bins.

    Registered as a `Perturbation` with name "permutation".

    # Parameters

    permutations : `int`, optional (default = `100`)
    seed : `int`, optional (default = `0`)
        With the instance's id it decides the permutations.
    """

    fields = {
        "tvd": Field.LIST,
        "median_tvd": Field.NUMBER,
        "mean_tvd": Field.NUMBER,
        "max_tvd": Field.NUMBER,
        "max_attention": Field.NUMBER,
    }

    def __init__(self, permutations: int = 100, seed: int = 0) -> None:
        if permutations < 1:
            raise InputError(f"permutations is {permutations}, but must be 1 or more")
        self.permutations = permutations
        self.seed = seed

    def perturb(self, texts: FixedStates) -> dict[str, torch.Tensor]:
        # Shape: (batch, permutations, tokens)
        permuted = texts.drawn(self.seed, "permutation", self._permuted)
        before = texts.probs(texts.attention).unsqueeze(1)
        # Shape: (batch, permutations)
        tvd = total_variation(texts.probs(permuted), before)
        return {
            "tvd": tvd,
            # torch's own median is the lower of the middle two.
            "median_tvd": tvd.quantile(0.5, dim=-1),
            "mean_tvd": tvd.mean(dim=-1),
            "max_tvd": tvd.amax(dim=-1),
            "max_attention": texts.attention.amax(dim=-1),
        }

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        return (
            "With its weights in another order the output of a text moves by "
            f"{results['median_tvd'].mean():.2f} in the median permutation and by "
            f"{results['max_tvd'].mean():.2f} in the worst of {self.permutations} (total variation, "
            "mean over the texts)."
        )

    def _permuted(self, generator: torch.Generator, attention: torch.Tensor) -> torch.Tensor:
        keys = torch.rand(self.permutations, len(attention), generator=generator)
        return attention[keys.argsort(dim=-1)]
