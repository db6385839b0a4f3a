"""
What attention and decoder make of hidden states, cut where it stops being linear: parts of a state
can then be read apart, and what they give is added.
"""

import math
from dataclasses import dataclass
from typing import Optional

import torch

from attention_explain.models import AttentionClassifier
from attention_explain.modules.token_attention import (
    AdditiveScorer,
    AttentionScorer,
    ScaledDotScorer,
)


@dataclass(frozen=True)
class Readout:
    """
    The linear map of a state to what its attention score is a function of, and to its vote for each
    label: the decoder being linear too, the logits are the attention-weighted mean of the votes
    (and the decoder's bias).

    weight : Shape: (inner + labels, state_dim)
    bias : Shape: (inner + labels,)
    scorer, labels : what is made of the two parts

    The additive scorer's inner part is twice its own: v . tanh(x) = 2 v . sigmoid(2 x) - sum(v), and
    a sigmoid takes a third of the time of a tanh on a CPU.
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
            weight = torch.cat([2 * layer.weight, votes])
            bias = torch.cat([2 * layer.bias, bias])
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
            vector = self.scorer.weight_layer.weight.squeeze(0)
            return (inner.sigmoid() @ (2 * vector)).sub_(vector.sum())
        return inner.squeeze(-1)
