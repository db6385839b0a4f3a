"""
What attention and decoder make of hidden states, cut where it stops being linear: parts of a state
can then be read apart, and what they give is added.
"""

import math
from dataclasses import dataclass
from typing import Optional

import torch

from attention_explain.models import AttentionClassifier
from attention_explain.modules.scorers import AdditiveScorer, AttentionScorer, ScaledDotScorer


@dataclass(frozen=True)
class Readout:
    """
    The linear map of a state to what its attention score is a function of, and to its vote for each
    label: the decoder being linear too, the logits are the attention-weighted mean of the votes
    (and the decoder's bias).

    weight : Shape: (inner + labels, state_dim)
    bias : Shape: (inner + labels,)
    scorer, labels : what is made of the two parts
    """

    weight: torch.Tensor
    bias: torch.Tensor
    scorer: Optional[AttentionScorer]
    labels: int

    @staticmethod
    def knows(scorer: Optional[AttentionScorer]) -> bool:
        return scorer is None or type(scorer) in (AdditiveScorer, ScaledDotScorer)

    @classmethod
    def of(cls, model: AttentionClassifier) -> "Readout":
        scorer, votes = model.attention.scorer, model.decoder.weight
        bias = votes.new_zeros(len(votes))
        if isinstance(scorer, AdditiveScorer):
            layer = scorer.state_layer
            weight, bias = torch.cat([layer.weight, votes]), torch.cat([layer.bias, bias])
        elif isinstance(scorer, ScaledDotScorer):
            scale = math.sqrt(scorer.input_dim)
            weight = torch.cat([scorer.weight_layer.weight / scale, votes])
            bias = torch.cat([bias.new_zeros(1), bias])
        else:
            weight = votes
        return cls(weight.detach(), bias.detach(), scorer, len(votes))

    def votes(self, read: torch.Tensor) -> torch.Tensor:
        """Shape: (..., inner + labels) -> (..., labels)"""
        return read[..., -self.labels :]

    def scores(self, read: torch.Tensor) -> torch.Tensor:
        """Shape: (..., inner + labels) -> (...)"""
        inner = read[..., : -self.labels]
        if self.scorer is None:
            return inner.sum(dim=-1)
        if isinstance(self.scorer, AdditiveScorer):
            inner = self.scorer.weight_layer(tanh_(inner.clone()))
        return inner.squeeze(-1)


def tanh_(values: torch.Tensor) -> torch.Tensor:
    """
    In place, as 2 sigmoid(2 x) - 1: a third of the time of torch's own on a CPU, and equal to the
    precision of a number near 1.
    """
    return values.mul_(2).sigmoid_().mul_(2).sub_(1)
