"""
Token sets of texts through a one-layer LSTM, without reading twice what several sets begin with.

A direction's state after some tokens is the same for all sets of a text that have these tokens first:
the sets of a pass are read as a tree, level by level, each of its nodes once. What the LSTM makes of
a token before it knows any other is computed once for all sets. Of the states nothing is kept but what
attention and decoder make of them.
"""

import numpy
import torch

from attention_explain.interpret.lstm_removal import LstmSteps
from attention_explain.interpret.removal import (
    Readout,
    attended_logits,
    attention_scores,
    unbiased_votes,
)
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.lstm import lstm_layers


class StateSets:
    """Tokens whose states know of no other: nothing is encoded twice."""

    def __init__(
        self,
        model: AttentionClassifier,
        batch: TextBatch,
        embeddings: torch.Tensor,
        replacements: torch.Tensor | None,
    ) -> None:
        self.model = model
        self.attendable = batch.attendable
        self.query = batch.inputs.query

        def read(vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            states = model.encode(vectors, batch.inputs)
            return attention_scores(model, states, self.query), unbiased_votes(model, states)

        self.scores, self.votes = read(embeddings)
        self.others = None if replacements is None else [read(other) for other in replacements]

    def tokens_at_once(self, budget: int) -> int:
        """The number of tokens that fit into one forward pass."""
        return budget

    def probabilities(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """Shape: (sets,), (sets, tokens) -> (sets, labels)"""
        seen = self.attendable[texts]
        scores, votes = self.scores[texts], self.votes[texts]
        if self.others is None:
            return self._probabilities(texts, scores, votes, seen & kept)
        drawn = [
            self._probabilities(
                texts,
                torch.where(kept, scores, other_scores[texts]),
                torch.where(kept.unsqueeze(-1), votes, other_votes[texts]),
                seen,
            )
            for other_scores, other_votes in self.others
        ]
        return sum(drawn) / len(drawn)

    def _probabilities(
        self, texts: torch.Tensor, scores: torch.Tensor, votes: torch.Tensor, seen: torch.Tensor
    ) -> torch.Tensor:
        asked = None if self.query is None else self.query[texts]
        return attended_logits(self.model, scores, votes, seen, asked).double().softmax(dim=-1)


# The factor by which more tokens are read at once than in a plain pass. What stays of a token is what is
# made of its state, about an eighth of its gates; and in steps of a few sets, as long texts would be read
# otherwise, most of the time goes to other than the arithmetic.
TOKENS = 8


class LstmSets:
    """
    # Parameters

    replacements : `torch.Tensor`, optional
        What stands for tokens that are taken out, several times; else they are deleted.
        Shape: (draws, batch, tokens, embedding_dim)
    """

    @torch.no_grad()
    def __init__(
        self,
        model: AttentionClassifier,
        batch: TextBatch,
        embeddings: torch.Tensor,
        replacements: torch.Tensor | None = None,
    ) -> None:
        (layer,) = lstm_layers(model.encoder)
        self.model = model
        self.attendable = batch.attendable
        self.lengths = batch.mask.sum(dim=1)
        self.query = batch.inputs.query
        self.readout = Readout.of(model, self.query)
        self.draws = 0 if replacements is None else len(replacements)
        # The embeddings first, then each draw. Shape: ((1 + draws) * batch * tokens, embedding_dim)
        inputs = torch.cat([embeddings, *(() if replacements is None else replacements)])
        self.ways = [
            _Direction(LstmSteps(layer, number), half, inputs.flatten(0, 1))
            for number, half in enumerate(self.readout.weight.chunk(layer.directions, dim=1))
        ]

    def tokens_at_once(self, budget: int) -> int:
        """The number of tokens that fit into one forward pass."""
        return budget * TOKENS

    def probabilities(self, texts: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """
        # Parameters

        texts : `torch.Tensor`
            Of the batch. Shape: (sets,)
        kept : `torch.Tensor`
            Boundary symbols among them. Shape: (sets, tokens)
        """
        starts = texts.unsqueeze(-1) * kept.size(1)
        if not self.draws:
            lengths = kept.sum(dim=1)
            # Those that stay come first, in their order.
            order = (~kept).to(torch.uint8).argsort(dim=1, stable=True)
            order = order[:, : int(lengths.max().clamp(min=1))]
            seen = self.attendable[texts.unsqueeze(-1), order]
            return self._probs(texts, starts + order, lengths, seen)
        lengths = self.lengths[texts]
        positions = torch.arange(int(lengths.max()), device=texts.device)
        seen = self.attendable[texts][:, positions]
        removed = seen & ~kept[:, positions]
        one = self.attendable.numel()
        drawn = [
            self._probs(texts, starts + positions + removed * (one * draw), lengths, seen)
            for draw in range(1, self.draws + 1)
        ]
        return sum(drawn) / len(drawn)

    def _probs(
        self,
        texts: torch.Tensor,
        tokens: torch.Tensor,
        lengths: torch.Tensor,
        seen: torch.Tensor,
    ) -> torch.Tensor:
        """
        Of sequences of what was read of texts.
        Shape: (sets,), (sets, steps), (sets,), (sets, steps) -> (sets, labels)
        """
        steps = torch.arange(tokens.size(1), device=tokens.device)
        mask = steps < lengths.unsqueeze(-1)
        asked, bias = None, self.readout.bias
        if self.query is not None:
            asked = self.query[texts]
            # Shape: (sets, 1, inner + votes)
            bias = bias[texts].unsqueeze(1) if bias.dim() > 1 else bias
        read = self.ways[0].run(tokens, lengths) + bias
        if len(self.ways) > 1:
            backwards = lengths.unsqueeze(-1) - 1 - steps
            backwards = torch.where(mask, backwards, steps)
            other = self.ways[1].run(tokens.gather(1, backwards), lengths)
            read += other.gather(1, backwards.unsqueeze(-1).expand_as(other))
        scores, votes = self.readout.scores(read), self.readout.votes(read)
        logits = attended_logits(self.model, scores, votes, seen & mask, asked)
        return logits.double().softmax(dim=-1)


class _Direction:
    """
    half : what attention and decoder read of this direction's half of a state.
        Shape: (readout, hidden)
    inputs : the vectors of tokens. Shape: (tokens, input)
    """

    def __init__(self, steps: LstmSteps, half: torch.Tensor, inputs: torch.Tensor) -> None:
        self._steps = steps
        # Of half states.
        self._half = 2 * half.t().contiguous()
        self._gates = steps.input_gates(inputs)

    def run(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """
        What this direction's half of each state adds to what is made of it; behind the end of a set
        anything. Shape: (sets, steps), (sets,) -> (sets, steps, readout)
        """
        levels, nodes = tree(tokens, lengths)
        result = self._gates.new_empty(*tokens.shape, self._half.size(1))
        half_states = double_cells = self._gates.new_zeros(1, self._steps.hidden)
        for step, sets in enumerate(levels):
            # Of the sets that begin alike, one stands for all.
            gates = self._gates.index_select(0, tokens[sets, step])
            # At first there is nothing but the zeros.
            parents = nodes[sets, step - 1] if step else torch.zeros_like(sets)
            half_states = half_states.index_select(0, parents)
            double_cells = double_cells.index_select(0, parents)
            gates.addmm_(half_states, self._steps.state_weights)
            self._steps.advance(gates, half_states, double_cells)
            result[:, step] = (half_states @ self._half).index_select(0, nodes[:, step])
        return result


def tree(tokens: torch.Tensor, lengths: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
    """
    Of each step one sequence for each of the beginnings up to there, and the number of the beginning
    that each sequence has there; where a sequence has ended, any number.
    Shape: (sets, steps), (sets,) -> [(beginnings,)], (sets, steps)
    """
    # Of an empty set a token is read, at which nobody looks: there may be no other sets.
    ended = torch.arange(tokens.size(1)) >= lengths.clamp(min=1).unsqueeze(-1)
    sequences = tokens.masked_fill(ended, -1).numpy()
    # Those that begin alike become neighbours.
    order = numpy.lexsort(sequences.T[::-1])
    ordered = sequences[order]
    differs = ordered[1:] != ordered[:-1]
    # From where on each is not as the one before.
    new = numpy.ones(sequences.shape, dtype=bool)
    numpy.logical_or.accumulate(differs, axis=1, out=new[1:])
    new &= ordered >= 0
    nodes = numpy.empty(sequences.shape, dtype=numpy.int64)
    nodes[order] = numpy.maximum(numpy.cumsum(new, axis=0) - 1, 0)
    levels = [torch.from_numpy(order[starts]) for starts in new.T]
    return levels, torch.from_numpy(nodes)
