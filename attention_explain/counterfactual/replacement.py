"""Other weights in the attention's place, one set a text: what that does to the output."""

from typing import Dict, Mapping

import numpy
import torch

from attention_explain.counterfactual.fixed_states import FixedStates
from attention_explain.counterfactual.perturbation import Perturbation, percent
from attention_explain.files.perturbations import Field
from attention_explain.modules.projections import jensen_shannon, total_variation


class Replacement(Perturbation):
    """
    A subclass gives the weights, and may say what they are called. The result has the `tvd` of the output, the `jsd` of the weights
    to the attention, whether the decision is another (`flip`), and the `probs`.
    """

    fields = {"tvd": Field.NUMBER, "jsd": Field.NUMBER, "flip": Field.FLAG, "probs": Field.LIST}
    called: str = "other weights"

    def weights(self, texts: FixedStates) -> torch.Tensor:
        """Shape: (batch, tokens)"""
        raise NotImplementedError

    def perturb(self, texts: FixedStates) -> Dict[str, torch.Tensor]:
        return effect(texts, self.weights(texts))

    def found(self, results: Mapping[str, numpy.ndarray]) -> str:
        return (
            f"With {self.called} the model predicts another label for "
            f"{percent(results['flip'].mean())} of the texts; its output moves by "
            f"{results['tvd'].mean():.2f} on average (total variation)."
        )


def effect(texts: FixedStates, weights: torch.Tensor) -> Dict[str, torch.Tensor]:
    """The fields of a replacement. Shape of weights: (batch, tokens)"""
    probs = texts.probs(weights)
    return {
        "tvd": total_variation(probs, texts.probs(texts.attention)),
        "jsd": jensen_shannon(weights, texts.attention),
        "flip": texts.logits(weights).argmax(dim=-1) != texts.predicted(),
        "probs": probs,
    }
