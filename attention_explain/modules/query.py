"""The second text of a pair, as the model has read it: what attention and decoder are told of it."""

from dataclasses import dataclass

import torch
from allennlp.common import FromParams
from allennlp.common.checks import check_dimensions_match
from allennlp.modules import Seq2SeqEncoder, TextFieldEmbedder
from allennlp.nn.util import get_final_encoder_states, min_value_of_dtype
from torch.nn.functional import linear

from attention_explain.modules.lstm import encoded
from attention_explain.named_components import check_choice


@dataclass(frozen=True)
class Query:
    """
    state : the query as one vector. Shape: (rows, query_dim)
    candidates : True at the labels that the pair may have; None where it may have all.
        Shape: (rows, labels)
    """

    state: torch.Tensor
    candidates: torch.Tensor | None = None

    @property
    def width(self) -> int:
        """How many positions it takes in a pass: it is one vector."""
        return 0

    def __getitem__(self, rows: torch.Tensor | slice) -> "Query":
        """Of some of the rows, or of copies of them."""
        candidates = None if self.candidates is None else self.candidates[rows]
        return Query(self.state[rows], candidates)


POOLINGS = ("last", "mean", "max")


class QueryEncoder(torch.nn.Module, FromParams):
    """
    # Parameters

    encoder : `Seq2SeqEncoder`
    pooling : `str`, optional (default = `"last"`)
        `last`: the last state of each direction. For encoders that do not read in one direction, the
        `mean` or the `max` over all states, as Jain & Wallace's code has it for "average" and CNN.
    embedder : `TextFieldEmbedder`, optional (default = the one of the other text)
    """

    def __init__(
        self,
        encoder: Seq2SeqEncoder,
        pooling: str = "last",
        embedder: TextFieldEmbedder | None = None,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooling = check_choice("pooling", pooling, POOLINGS)
        self.embedder = embedder

    def check_input_dim(self, passage_embedder: TextFieldEmbedder) -> None:
        """Raise if the embedder and the encoder of the query have different sizes."""
        check_dimensions_match(
            (self.embedder or passage_embedder).get_output_dim(),
            self.encoder.get_input_dim(),
            "output size of the query's embedder",
            "input size of query_encoder",
        )

    def get_output_dim(self) -> int:
        """The size of the query vector."""
        return self.encoder.get_output_dim()

    def forward(self, embeddings: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Shape: (batch, tokens, embedding_dim) -> (batch, query_dim)"""
        states = encoded(self.encoder, embeddings, mask)
        if self.pooling == "last":
            return get_final_encoder_states(states, mask, self.encoder.is_bidirectional())
        words = mask.unsqueeze(-1)
        if self.pooling == "mean":
            return (states * words).sum(dim=1) / words.sum(dim=1)
        return states.masked_fill(~words, min_value_of_dtype(states.dtype)).amax(dim=1)


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
