"""
The logits of every text without each of its tokens in turn. Memory is bounded: a pass holds as many
such rows as the budget of the batch allows. The embeddings are computed once, by the caller.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import torch

from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.classifier import encoder_of_tokens
from attention_explain.modules.capabilities import Window, capability
from attention_explain.modules.text_inputs import Query
from attention_explain.modules.token_attention import (
    AdditiveScorer,
    AttentionScorer,
    LinearScorer,
    ScaledDotScorer,
)


class RemovalLogits(NamedTuple):
    """
    whole : the logits of the texts as they are. Shape: (batch, labels)
    without : those of each text without each of its tokens. Shape: (batch, tokens, labels)
    """

    whole: torch.Tensor
    without: torch.Tensor


@runtime_checkable
class TokenRemoval(Protocol):
    """texts without each of their tokens, faster than by a pass for each"""

    def remove_tokens(
        self,
        model: AttentionClassifier,
        batch: TextBatch,
        embeddings: torch.Tensor,
        replacement: torch.Tensor | None = None,
    ) -> RemovalLogits:
        """
        Each token in turn deleted, or replaced by its `replacement`. Asked for only where the
        attention's scorer is one that `erasure.readout` knows.
        """


class SetReader(Protocol):
    """Says what a model makes of sets of tokens."""

    def tokens_at_once(self, budget: int) -> int:
        """How many tokens to ask it for at once, where a pass through the model may hold `budget`."""

    def probabilities(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """
        Of any number of sets: whose tokens each has, and which it keeps, boundary symbols among them.
        Shape: (sets,), (sets, tokens) -> (sets, labels), float64
        """


@runtime_checkable
class TokenSets(Protocol):
    """texts with only some of their tokens left, faster than by a pass for each"""

    def token_sets(
        self,
        model: AttentionClassifier,
        batch: TextBatch,
        embeddings: torch.Tensor,
        replacements: torch.Tensor | None = None,
    ) -> SetReader:
        """
        For the texts of a batch, whose other tokens are deleted, or replaced in several ways over
        which the probabilities are averaged. Asked for on the CPU, and only where the attention's
        scorer is one that `erasure.readout` knows.
        Shape of replacements: (draws, batch, tokens, embedding_dim)
        """


def remove_tokens(
    model: AttentionClassifier,
    batch: TextBatch,
    embeddings: torch.Tensor,
    replacement: torch.Tensor | None = None,
) -> RemovalLogits:
    """
    Each token deleted in turn, or replaced where there is a `replacement`: the fastest way that the
    encoder allows.
    """
    fast = fast_removal(model)
    if fast is not None:
        return fast.remove_tokens(model, batch, embeddings, replacement)
    if no_state_knows_another_token(model):
        # To remove a token is to remove its state.
        states = model.encode(embeddings, batch.inputs)
        instead = None if replacement is None else model.encode(replacement, batch.inputs)
        return remove_states(model, batch, states, instead)
    whole = model.logits(embeddings, batch.inputs)
    if replacement is None:
        return RemovalLogits(whole, logits_with_deleted_inputs(model, batch, embeddings))
    return RemovalLogits(whole, logits_with_replaced_inputs(model, batch, embeddings, replacement))


def remove_states(
    model: AttentionClassifier,
    batch: TextBatch,
    states: torch.Tensor,
    replacement: torch.Tensor | None = None,
) -> RemovalLogits:
    """The same for hidden states: see `logits_without_states`."""
    attention = model.attend(states, batch.inputs)
    whole = model.decode(states, attention, batch.inputs.query)
    return RemovalLogits(whole, logits_without_states(model, batch, states, replacement))


def fast_removal(model: AttentionClassifier) -> TokenRemoval | None:
    """What removes single tokens faster than by a pass for each; None if nothing does."""
    encoder = encoder_of_tokens(model)
    if encoder is None or not Readout.knows(model.attention.scorer):
        return None
    return capability(encoder, TokenRemoval)


def no_state_knows_another_token(model: AttentionClassifier) -> bool:
    """Whether each state of the encoder depends on its own token only."""
    encoder = encoder_of_tokens(model)
    windowed = None if encoder is None else capability(encoder, Window)
    return windowed is not None and windowed.reach() == 0


def logits_with_replaced_inputs(
    model: AttentionClassifier,
    batch: TextBatch,
    embeddings: torch.Tensor,
    replacement: torch.Tensor,
) -> torch.Tensor:
    """
    Each token's embedding replaced in turn, the text as long as before.
    Shape: (batch, tokens, labels)
    """
    logits = _no_logits(model, batch, embeddings)
    for text, token in _rows(batch):
        inputs = batch.inputs.rows(text)
        removed = inputs.at_positions(_only(token, batch)).unsqueeze(-1)
        rows = torch.where(removed, replacement[text], embeddings[text])
        logits[text, token] = model.logits(rows, inputs)
    return logits


def logits_with_deleted_inputs(
    model: AttentionClassifier, batch: TextBatch, embeddings: torch.Tensor
) -> torch.Tensor:
    """
    Each token deleted in turn, the text one token shorter; boundary symbols stay.
    Shape: (batch, tokens, labels)
    """
    logits = _no_logits(model, batch, embeddings)
    for text, token in _rows(batch):
        kept = ~_only(token, batch)
        positions, inputs = batch.inputs.keeping(text, kept, longest=batch.length - 1)
        rows = embeddings[text.unsqueeze(-1), positions]
        logits[text, token] = model.logits(rows, inputs)
    return logits


def logits_without_states(
    model: AttentionClassifier,
    batch: TextBatch,
    states: torch.Tensor,
    replacement: torch.Tensor | None = None,
) -> torch.Tensor:
    """
    Each hidden state dropped in turn, or replaced where there is a `replacement`; attention is
    projected again, the other states stay. Shape: (batch, tokens, labels)
    """
    query = batch.inputs.query
    scores, votes = attention_scores(model, states, query), unbiased_votes(model, states)
    if replacement is not None:
        new_scores = attention_scores(model, replacement, query)
        new_votes = unbiased_votes(model, replacement)
    logits = _no_logits(model, batch, states)
    for text, token in _rows(batch):
        row_scores, row_votes, seen = scores[text], votes[text], batch.attendable[text]
        removed = torch.arange(len(text), device=text.device), token
        if replacement is None:
            seen[removed] = False
        else:
            row_scores[removed] = new_scores[text, token]
            row_votes[removed] = new_votes[text, token]
        asked = None if query is None else query[text]
        logits[text, token] = attended_logits(model, row_scores, row_votes, seen, asked)
    return logits


def attention_scores(
    model: AttentionClassifier, states: torch.Tensor, query: Query | None
) -> torch.Tensor:
    """What goes into the projection. Shape: (batch, tokens)"""
    scorer = model.attention.scorer
    if scorer is None:
        return states.new_zeros(states.shape[:-1])
    return scorer(states, query and query.state)


def unbiased_votes(model: AttentionClassifier, states: torch.Tensor) -> torch.Tensor:
    """
    What the decoder makes of each state, as far as it is linear, the bias apart: of their
    attention-weighted mean come the logits. Shape: (..., state_dim) -> (..., votes)
    """
    return torch.nn.functional.linear(states, model.decoder.vote_weight)


def attended_logits(
    model: AttentionClassifier,
    scores: torch.Tensor,
    votes: torch.Tensor,
    attendable: torch.Tensor,
    query: Query | None,
) -> torch.Tensor:
    """
    Attend and decode, from scores and votes. Where there is nothing to attend to, the context is 0.
    Shape: (rows, ..., tokens), (rows, ..., tokens, votes), (rows, ..., tokens) ->
    (rows, ..., labels)
    """
    empty = ~attendable.any(dim=-1, keepdim=True)
    weights = model.attention.projection(scores, attendable | empty).masked_fill(empty, 0.0)
    mean = torch.einsum("...t,...tl->...l", weights, votes) + model.decoder.vote_bias
    return model.decoder.finish(mean, query)


def _no_logits(model: AttentionClassifier, batch: TextBatch, like: torch.Tensor) -> torch.Tensor:
    """To be filled in, for the tokens that are removed. Shape: (batch, tokens, labels)"""
    return like.new_zeros(len(batch), batch.length, len(model.labels))


def _only(token: torch.Tensor, batch: TextBatch) -> torch.Tensor:
    """Shape: (rows,) -> (rows, tokens)"""
    return torch.arange(batch.length, device=token.device) == token.unsqueeze(-1)


def _rows(batch: TextBatch) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """
    The pairs (text, token) to remove, which the host knows, as many at a time as a pass holds.
    Shape: (rows,) each
    """
    texts, tokens = batch.seen.nonzero().T.to(batch.mask.device)
    for first in range(0, len(texts), batch.rows_per_pass()):
        rows = slice(first, first + batch.rows_per_pass())
        yield texts[rows], tokens[rows]


@dataclass(frozen=True)
class Readout:
    """
    What attention and decoder make of hidden states, cut where it stops being linear: parts of a
    state can then be read apart, and what they give is added.

    It is the linear map of a state to what its attention score is a function of, and to its votes, of
    whose attention-weighted mean the decoder makes the logits. A query is part of what is added; where
    it multiplies the states, the map is that of one text alone.

    weight : Shape: (inner + votes, state_dim)
    bias : Shape: (inner + votes,), or with a query (texts, inner + votes)
    scorer, number : what is made of the two parts, and how many votes there are

    The additive scorer's inner part is twice its own: v . tanh(x) = 2 v . sigmoid(2 x) - sum(v), and
    a sigmoid takes a third of the time of a tanh on a CPU.
    """

    weight: torch.Tensor
    bias: torch.Tensor
    scorer: AttentionScorer | None
    number: int

    @staticmethod
    def knows(scorer: AttentionScorer | None) -> bool:
        """Whether the scorer is one that a readout can be made for."""
        return scorer is None or type(scorer) in (AdditiveScorer, LinearScorer, ScaledDotScorer)

    @staticmethod
    def is_of_one_text(scorer: AttentionScorer | None) -> bool:
        """Whether each text has another, since its query multiplies its states."""
        return isinstance(scorer, ScaledDotScorer) and scorer.query_dim is not None

    @classmethod
    def of(cls, model: AttentionClassifier, query: Query | None = None) -> "Readout":
        """The readout of a model, for a query if it has one."""
        scorer, votes = model.attention.scorer, model.decoder.vote_weight
        bias = votes.new_zeros(len(votes))
        if isinstance(scorer, AdditiveScorer):
            layer = scorer.state_layer
            weight = torch.cat([2 * layer.weight, votes])
            added = layer.bias
            if query is not None:
                added = added + scorer.query_layer(query.state)
                bias = bias.expand(len(added), -1)
            bias = torch.cat([2 * added, bias], dim=-1)
        elif isinstance(scorer, ScaledDotScorer):
            scale = math.sqrt(scorer.input_dim)
            vector = scorer.weight_layer.weight if query is None else query.state
            if len(vector) != 1:
                raise ValueError("a query that multiplies states is read out text by text")
            weight = torch.cat([vector / scale, votes])
            bias = torch.cat([bias.new_zeros(1), bias])
        elif isinstance(scorer, LinearScorer):
            layer = scorer.weight_layer
            weight = torch.cat([layer.weight, votes])
            bias = torch.cat([layer.bias, bias])
        else:
            weight = votes
        return cls(weight.detach(), bias.detach(), scorer, len(votes))

    def votes(self, read: torch.Tensor) -> torch.Tensor:
        """Shape: (..., inner + votes) -> (..., votes)"""
        return read[..., -self.number :]

    def scores(self, read: torch.Tensor) -> torch.Tensor:
        """Shape: (..., inner + votes) -> (...)"""
        inner = read[..., : -self.number]
        if self.scorer is None:
            return inner.sum(dim=-1)
        if isinstance(self.scorer, AdditiveScorer):
            vector = self.scorer.weight_layer.weight.squeeze(0)
            return (inner.sigmoid() @ (2 * vector)).sub_(vector.sum())
        return inner.squeeze(-1)
