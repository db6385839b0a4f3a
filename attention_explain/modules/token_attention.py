"""
Attention over the tokens of a text: a scorer, from the hidden states, and a query where there is one,
to one score a token; then a projection. And the linear layer that reads the mean which it gives.

The sizes of scorers are those of Jain & Wallace 2019, which differ from AllenNLP's modules of like
names.
"""

import math

import torch
from allennlp.common import FromParams, Lazy, Registrable

from attention_explain.errors import InputError
from attention_explain.modules.projections import Guide, Projection, Softmax
from attention_explain.modules.text_inputs import Query


class AttentionScorer(torch.nn.Module, Registrable):
    """
    One score a token.

    # Parameters

    input_dim : `int`
        Size of a hidden state; the model fills it in, configs need not.
    query_dim : `int`, optional (default = `None`)
        Size of the query, for tasks over pairs of texts. Without it the scorer takes no query.
    """

    default_implementation = "additive"

    def __init__(self, input_dim: int, query_dim: int | None = None) -> None:
        super().__init__()
        self.input_dim = input_dim
        self.query_dim = query_dim

    def forward(self, states: torch.Tensor, query: torch.Tensor | None = None) -> torch.Tensor:
        """
        # Parameters

        states : `torch.Tensor`
            Shape: (batch, tokens, input_dim)
        query : `torch.Tensor`, optional
            Shape: (batch, query_dim)

        # Returns

        scores : `torch.Tensor`
            Shape: (batch, tokens)
        """
        if (query is None) != (self.query_dim is None):
            raise InputError(
                f"{type(self).__name__} was built with query_dim {self.query_dim} and "
                f"called with{'out' if query is None else ''} a query"
            )
        if states.size(-1) != self.input_dim:
            raise InputError(
                f"{type(self).__name__} was built for states of size {self.input_dim}, "
                f"but got size {states.size(-1)}"
            )
        return self.score(states, query)

    def score(self, states: torch.Tensor, query: torch.Tensor | None) -> torch.Tensor:
        """One score per token. Shape: (batch, tokens)"""
        raise NotImplementedError


@AttentionScorer.register("additive")
class AdditiveScorer(AttentionScorer):
    """
    v . tanh(W h + b), or v . tanh(W1 h + b + W2 q) with a query; W halves the size of the state
    and v has no bias. "tanh" in the papers.

    Registered as an `AttentionScorer` with name "additive".
    """

    def __init__(self, input_dim: int, query_dim: int | None = None) -> None:
        super().__init__(input_dim, query_dim)
        inner_dim = input_dim // 2
        self.state_layer = torch.nn.Linear(input_dim, inner_dim)
        if query_dim is not None:
            self.query_layer = torch.nn.Linear(query_dim, inner_dim, bias=False)
        # A module of its own, so that attribution methods that hook modules can see it.
        self.activation = torch.nn.Tanh()
        self.weight_layer = torch.nn.Linear(inner_dim, 1, bias=False)

    def score(self, states: torch.Tensor, query: torch.Tensor | None) -> torch.Tensor:
        inner = self.state_layer(states)
        if query is not None:
            inner = inner + self.query_layer(query).unsqueeze(1)
        return self.weight_layer(self.activation(inner)).squeeze(-1)


@AttentionScorer.register("scaled_dot")
class ScaledDotScorer(AttentionScorer):
    """
    w . h / sqrt(d) with a learned w, or h . q / sqrt(d) with a query. "dot" or "sdp" in the papers.

    Registered as an `AttentionScorer` with name "scaled_dot".
    """

    def __init__(self, input_dim: int, query_dim: int | None = None) -> None:
        super().__init__(input_dim, query_dim)
        if query_dim is None:
            self.weight_layer = torch.nn.Linear(input_dim, 1, bias=False)
        elif query_dim != input_dim:
            raise InputError(
                f"scaled_dot multiplies states with the query, so their sizes must be equal, "
                f"but they are {input_dim} and {query_dim}"
            )

    def score(self, states: torch.Tensor, query: torch.Tensor | None) -> torch.Tensor:
        if query is None:
            products = self.weight_layer(states).squeeze(-1)
        else:
            products = torch.bmm(states, query.unsqueeze(-1)).squeeze(-1)
        return products / math.sqrt(self.input_dim)


@AttentionScorer.register("linear")
class LinearScorer(AttentionScorer):
    """
    v . h + b, without scaling (Pruthi et al. 2020); it takes no query.

    Registered as an `AttentionScorer` with name "linear".
    """

    def __init__(self, input_dim: int, query_dim: int | None = None) -> None:
        super().__init__(input_dim, query_dim)
        if query_dim is not None:
            raise InputError(
                "the scorer 'linear' reads no query, so it cannot be used for pairs of texts: use "
                "'additive' or 'scaled_dot'"
            )
        self.weight_layer = torch.nn.Linear(input_dim, 1)

    def score(self, states: torch.Tensor, query: torch.Tensor | None) -> torch.Tensor:
        return self.weight_layer(states).squeeze(-1)


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
        projection: Projection | None = None,
        query_dim: int | None = None,
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
        query: torch.Tensor | None = None,
        guide: torch.Tensor | None = None,
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
            raise InputError(
                "this model is guided, and takes its attention from the instances (the dataset "
                "reader's option 'guide'), but none came with these"
            )
        if guide is not None and not guided:
            raise InputError(
                "the instances have a guide, but the model's attention follows one only if its "
                "projection is 'guide'"
            )
        if guide is not None:
            scores = guide.to(states.dtype)
        elif self.scorer is None:
            scores = states.new_zeros(states.shape[:-1])
        else:
            scores = self.scorer(states, query)
        return self.projection(scores, mask)


class LinearDecoder(torch.nn.Linear):
    """
    From the attention-weighted mean of hidden states to logits, in two steps: a linear one, the votes,
    and what is made of their mean. What is linear may be done to each state before the mean is taken,
    so that the decoder need not be applied again for every other attention. Here a vote is a logit
    (Jain & Wallace 2019, section 2.1).
    """

    @property
    def vote_weight(self) -> torch.Tensor:
        """Shape: (votes, state_dim)"""
        return self.weight

    @property
    def vote_bias(self) -> torch.Tensor:
        """Shape: (votes,)"""
        return self.bias

    def votes(self, states: torch.Tensor) -> torch.Tensor:
        """Shape: (..., state_dim) -> (..., votes)"""
        return self(states)

    def finish(self, votes: torch.Tensor, query: Query | None = None) -> torch.Tensor:
        """From the mean of votes to logits, which it is. Shape: (..., votes) -> (..., labels)"""
        return votes
