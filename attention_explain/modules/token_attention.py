"""Attention over the tokens of a text: a scorer, then a projection."""

from typing import Optional

import torch
from allennlp.common import FromParams, Lazy
from allennlp.common.checks import ConfigurationError

from attention_explain.modules.projections import Guide, Projection, Softmax
from attention_explain.modules.scorers import AdditiveScorer, AttentionScorer


class TokenAttention(torch.nn.Module, FromParams):
    """
    One weight a token: projection(scorer(states)).

    # Parameters

    input_dim : `int`
        Size of a hidden state; the model fills it in, configs need not.
    scorer : `Lazy[AttentionScorer]`, optional (default = `additive`)
        Not built where the projection uses no scores, so that no dead parameter is trained.
    projection : `Projection`, optional (default = `softmax`)
    query_dim : `int`, optional (default = `None`)
    """

    def __init__(
        self,
        input_dim: int,
        scorer: Lazy[AttentionScorer] = Lazy(AdditiveScorer),
        projection: Optional[Projection] = None,
        query_dim: Optional[int] = None,
    ) -> None:
        super().__init__()
        self.projection = projection or Softmax()
        self.scorer = (
            scorer.construct(input_dim=input_dim, query_dim=query_dim)
            if self.projection.uses_scores
            else None
        )

    def forward(
        self,
        states: torch.Tensor,
        mask: torch.Tensor,
        query: Optional[torch.Tensor] = None,
        guide: Optional[torch.Tensor] = None,
    ) -> torch.Tensor:
        """
        # Parameters

        states : `torch.Tensor`
            Shape: (batch, tokens, input_dim)
        mask : `torch.BoolTensor`
            Shape: (batch, tokens). True where a token may get a weight.
        query : `torch.Tensor`, optional
            Shape: (batch, query_dim)
        guide : `torch.Tensor`, optional
            Shape: (batch, tokens). The weights themselves, for the projection `guide`.

        # Returns

        weights : `torch.Tensor`
            Shape: (batch, tokens)
        """
        guided = isinstance(self.projection, Guide)
        if guided and guide is None:
            raise ConfigurationError(
                "this model is guided, and takes its attention from the instances (the dataset "
                "reader's option 'guide'), but none came with these"
            )
        if guide is not None and not guided:
            raise ConfigurationError(
                "the instances have a guide, but the model's attention follows one only if its "
                "projection is 'guide'"
            )
        if guided:
            scores = guide.to(states.dtype)
        elif self.scorer is None:
            scores = states.new_zeros(states.shape[:-1])
        else:
            scores = self.scorer(states, query)
        return self.projection(scores, mask)
