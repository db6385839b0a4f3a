"""The inputs of a model for a batch of texts, and the query of models of pairs."""

from dataclasses import dataclass, fields, replace
from typing import Any

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
        inner = votes + next_to(self.asked(query).to(kind), votes)
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
    others = next_to(~query.candidates, logits)
    return logits.masked_fill(others, min_value_of_dtype(torch.float))


def next_to(of_rows: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """A vector a row, for all of a row's vectors. Shape: (rows, dim) -> (rows, 1, ..., dim)"""
    between = [1] * (others.dim() - 2)
    return of_rows.view(len(of_rows), *between, of_rows.size(-1))


@dataclass(frozen=True)
class TextInputs:
    """
    What the stages after `embed` need to know of texts. Padding is at the end of a text.

    mask : True at all positions that are no padding. Shape: (rows, positions)
    attendable : True at the tokens that get a score, and that attention sees. Shape: (rows, tokens)
    units : the token that a position belongs to; -1 for padding and for special symbols, which belong to
        none. None where each position is a token. Shape: (rows, positions)
    query : of a pair: the other text as the model has read it, a `Query`, or the passage where the query is
        scored.
    parts : of a pair that is read as one sequence: 0 at the positions of the first text, 1 at those of
        the second; of a pretrained transformer its token types. Shape: (rows, positions)
    """

    mask: torch.Tensor
    attendable: torch.Tensor
    units: torch.Tensor | None = None
    query: Any = None
    parts: torch.Tensor | None = None

    @property
    def width(self) -> int:
        """How many positions a row takes in a pass, those of what it is read with included."""
        others = 0 if self.query is None else self.query.width
        return self.mask.size(1) + others

    @property
    def token_mask(self) -> torch.Tensor:
        """True at all tokens that are no padding, boundary symbols included. Shape: (rows, tokens)"""
        if self.units is None:
            return self.mask
        # A word of characters that the pieces do not know may have no position at all.
        return self.attendable | (self.of_tokens(self.mask.int(), "max") > 0)

    def rows(self, rows: torch.Tensor | slice) -> "TextInputs":
        """Of some of the texts, or of copies of them, as long as before with their padding."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        return replace(
            self, **{name: None if of is None else of[rows] for name, of in known.items()}
        )

    def repeated(self, times: int) -> "TextInputs":
        """Of all texts again and again."""
        rows = torch.arange(len(self.mask), device=self.mask.device)
        return self.rows(rows.repeat(times))

    def trimmed(self) -> "TextInputs":
        """As long as the longest text. A GPU has to be waited for."""
        positions = _longest(self.mask)
        parts = None if self.parts is None else self.parts[:, :positions]
        if self.units is None:
            return replace(
                self,
                mask=self.mask[:, :positions],
                attendable=self.attendable[:, :positions],
                parts=parts,
            )
        tokens = _longest(self.token_mask)
        return replace(
            self,
            mask=self.mask[:, :positions],
            attendable=self.attendable[:, :tokens],
            units=self.units[:, :positions],
            parts=parts,
        )

    def keeping(
        self, rows: torch.Tensor, kept: torch.Tensor, longest: int | None = None
    ) -> tuple[torch.Tensor, "TextInputs"]:
        """
        Of texts that have lost some of the tokens that get a score: what stays moves together.

        # Parameters

        rows : `torch.Tensor`. Shape: (texts,)
        kept : `torch.Tensor`
            Shape: (texts, tokens)
        longest : `int`, optional
            How many tokens are left at most; a GPU need not be waited for then, if positions are tokens.

        # Returns

        positions : `torch.Tensor`
            Those that stay, in their order, and any others behind. Shape: (texts, positions)
        inputs : `TextInputs`
            Of the shorter texts.
        """
        whole = self.rows(rows)
        lost = whole.attendable & ~kept
        tokens = whole.token_mask & ~lost
        order, mask = moved_together(tokens, longest)
        attendable = whole.attendable.gather(1, order) & mask
        if whole.units is None:
            parts = None if whole.parts is None else whole.parts.gather(1, order)
            return order, replace(whole, mask=mask, attendable=attendable, parts=parts)
        order, mask = moved_together(whole.mask & ~whole.at_positions(lost))
        numbers = tokens.cumsum(dim=1) - 1
        units = torch.where(whole.units < 0, -1, whole.at_positions(numbers)).gather(1, order)
        return order, replace(
            whole,
            mask=mask,
            attendable=attendable,
            units=units.masked_fill(~mask, -1),
            parts=None if whole.parts is None else whole.parts.gather(1, order),
        )

    def at_positions(self, per_token: torch.Tensor) -> torch.Tensor:
        """
        What is known of tokens, at each of their positions; 0, or False, at the positions of no token.
        Shape: (rows, tokens) -> (rows, positions)
        """
        if self.units is None:
            return per_token
        return per_token.gather(1, self.units.clamp(min=0)).masked_fill(self.units < 0, 0)

    def of_tokens(self, per_position: torch.Tensor, how: str) -> torch.Tensor:
        """
        The `sum` or the `max` over the positions of each token; 0 for a token that has none.
        Shape: (rows, positions, ...) -> (rows, tokens, ...)
        """
        if self.units is None:
            return per_position
        tokens = self.attendable.size(1)
        # What belongs to no token goes to one more, which is left out.
        units = self.units.masked_fill(self.units < 0, tokens)
        units = units.view(*units.shape, *(1 for _ in per_position.shape[2:])).expand_as(
            per_position
        )
        per_token = per_position.new_zeros(len(units), tokens + 1, *per_position.shape[2:])
        reduce = {"sum": "sum", "max": "amax"}[how]
        per_token.scatter_reduce_(1, units, per_position, reduce, include_self=False)
        return per_token[:, :tokens]


def units_of(offsets: torch.Tensor, words: torch.Tensor, positions: int) -> torch.Tensor:
    """
    `TextInputs.units`, from the first and the last position of each word, negative for a word that has none.
    Shape: (rows, tokens, 2), (rows, tokens) -> (rows, positions)
    """
    numbers = torch.arange(positions, device=words.device)
    first, last = offsets.unsqueeze(-1).unbind(dim=2)
    # Shape: (rows, tokens, positions)
    inside = (numbers >= first) & (numbers <= last) & (first >= 0) & words.unsqueeze(-1)
    return torch.where(inside.any(dim=1), inside.to(torch.uint8).argmax(dim=1), -1)


def moved_together(
    kept: torch.Tensor, longest: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Those that stay first, in their order, and where they are then. Shape: (rows, kept)"""
    longest = _longest(kept) if longest is None else max(1, longest)
    order = (~kept).to(torch.uint8).argsort(dim=1, stable=True)[:, :longest]
    steps = torch.arange(order.size(1), device=kept.device)
    return order, steps < kept.sum(dim=1, keepdim=True)


def _longest(mask: torch.Tensor) -> int:
    """At least 1: no text may be without length."""
    return max(1, int(mask.sum(dim=1).max()))
