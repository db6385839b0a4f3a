"""The decoder of pairs; that of single texts, `LinearDecoder`, says what votes are."""

import torch
from allennlp.nn.util import min_value_of_dtype
from torch.nn.functional import linear

from attention_explain.modules.query import Query


class PairDecoder(torch.nn.Module):
    """
    W tanh(W1 h + W2 q + b1) + b of the mean state h and the query q, as in Jain & Wallace's code; the
    inner size is half that of a state. Labels that are no candidates get a logit below all others.
    """

    def __init__(self, state_dim: int, query_dim: int, labels: int) -> None:
        super().__init__()
        inner_dim = state_dim // 2
        self.state_layer = torch.nn.Linear(state_dim, inner_dim)
        self.query_layer = torch.nn.Linear(query_dim, inner_dim, bias=False)
        # A module of its own, so that attribution methods that hook modules can see it.
        self.activation = torch.nn.Tanh()
        self.output_layer = torch.nn.Linear(inner_dim, labels)

    @property
    def vote_weight(self) -> torch.Tensor:
        """Shape: (votes, state_dim)"""
        return self.state_layer.weight

    @property
    def vote_bias(self) -> torch.Tensor:
        """Shape: (votes,)"""
        return self.state_layer.bias

    def votes(self, states: torch.Tensor) -> torch.Tensor:
        """Shape: (..., state_dim) -> (..., votes)"""
        return self.state_layer(states)

    def forward(self, context: torch.Tensor, query: Query) -> torch.Tensor:
        """Shape: (rows, ..., state_dim) -> (rows, ..., labels)"""
        return self.finish(self.votes(context), query)

    def asked(self, query: Query) -> torch.Tensor:
        """What the query adds to the mean of votes. Shape: (rows, votes)"""
        return self.query_layer(query.state)

    def finish(self, votes: torch.Tensor, query: Query) -> torch.Tensor:
        """
        From the mean of votes to logits, in the precision of the votes. Shape: (rows, ..., votes) ->
        (rows, ..., labels)
        """
        kind = votes.dtype
        inner = votes + beside(self.asked(query).to(kind), votes)
        layer = self.output_layer
        logits = linear(self.activation(inner), layer.weight.to(kind), layer.bias.to(kind))
        return only_candidates(logits, query)


def only_candidates(logits: torch.Tensor, query: Query) -> torch.Tensor:
    """
    With nothing for the other labels. Finite, since what is infinite is no number in differences.
    Shape: (rows, ..., labels)
    """
    if query.candidates is None:
        return logits
    others = beside(~query.candidates, logits)
    return logits.masked_fill(others, min_value_of_dtype(torch.float))


def beside(of_rows: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """A vector a row, for all of a row's vectors. Shape: (rows, dim) -> (rows, 1, ..., dim)"""
    between = [1] * (others.dim() - 2)
    return of_rows.view(len(of_rows), *between, of_rows.size(-1))
