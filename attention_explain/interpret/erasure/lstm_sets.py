"""
Token sets of texts through a one-layer LSTM, without reading twice what several sets begin with.

A direction's state after some tokens is the same for all sets of a text that have these tokens first:
the sets of a pass are read as a tree, level by level, each of its nodes once. What the LSTM makes of
a token before it knows any other is computed once for all sets. Of the states nothing is kept but what
attention and decoder make of them.
"""

from typing import List, Optional, Tuple

import numpy
import torch
from torch.nn.functional import linear

from attention_explain.interpret.erasure.logits import Readout, attended_logits
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules.encoders.lstm import lstm_layers


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
        replacements: Optional[torch.Tensor] = None,
    ) -> None:
        (layer,) = lstm_layers(model.encoder)
        self.model = model
        self.attendable = batch.attendable
        self.lengths = batch.mask.sum(dim=1)
        self.query = batch.reading.query
        self.readout = Readout.of(model, self.query)
        self.draws = 0 if replacements is None else len(replacements)
        # The embeddings first, then each draw. Shape: (1 + draws, batch * tokens, embedding_dim)
        inputs = [embeddings, *(() if replacements is None else replacements)]
        self.ways = [
            _Direction(layer.state_weights[number], half)
            for number, half in enumerate(self.readout.weight.chunk(layer.directions, dim=1))
        ]
        for number, way in enumerate(self.ways):
            way.read = torch.cat(
                [
                    linear(vectors.flatten(0, 1), layer.input_weights[number], layer.bias[number])
                    for vectors in inputs
                ]
            )

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
        places = torch.arange(int(lengths.max()), device=texts.device)
        seen = self.attendable[texts][:, places]
        erased = seen & ~kept[:, places]
        one = self.attendable.numel()
        drawn = [
            self._probs(texts, starts + places + erased * (one * draw), lengths, seen)
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
        # Padding is read as the first token of all, and nobody looks.
        tokens = tokens.masked_fill(~mask, 0)
        asked, bias = None, self.readout.bias
        if self.query is not None:
            asked = self.query[texts]
            # Shape: (sets, 1, inner + votes)
            bias = bias[texts].unsqueeze(1) if bias.dim() > 1 else bias
        read = self.ways[0].run(tokens) + bias
        if len(self.ways) > 1:
            backwards = lengths.unsqueeze(-1) - 1 - steps
            backwards = torch.where(mask, backwards, steps)
            other = self.ways[1].run(tokens.gather(1, backwards))
            read += other.gather(1, backwards.unsqueeze(-1).expand_as(other))
        scores, votes = self.readout.scores(read), self.readout.votes(read)
        logits = attended_logits(self.model, scores, votes, seen & mask, asked)
        return logits.double().softmax(dim=-1)


class _Direction:
    """
    read : what the gates get of each token, before any state. Shape: (tokens, 4 * hidden)
    """

    read: torch.Tensor

    def __init__(self, state_weights: torch.Tensor, half: torch.Tensor) -> None:
        self.state_weights = state_weights.t().contiguous()
        self.half = half.t().contiguous()
        self.hidden = state_weights.size(1)

    def run(self, tokens: torch.Tensor) -> torch.Tensor:
        """
        What this direction's half of each state adds to what is made of it.
        Shape: (sets, steps) -> (sets, steps, readout)
        """
        levels, nodes = tree(tokens)
        result = self.read.new_empty(*tokens.shape, self.half.size(1))
        states = cells = None
        for step, sets in enumerate(levels):
            # Of the sets that begin alike, one stands for all.
            gates = self.read.index_select(0, tokens[sets, step])
            if states is not None:
                parents = nodes[sets, step - 1]
                gates.addmm_(states.index_select(0, parents), self.state_weights)
                cells = cells.index_select(0, parents)
            states, cells = self._step(gates, cells)
            result[:, step] = (states @ self.half).index_select(0, nodes[:, step])
        return result

    def _step(
        self, gates: torch.Tensor, cells: Optional[torch.Tensor]
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """Of all nodes of a level. Shape: (nodes, 4 * hidden), (nodes, hidden)"""
        hidden = self.hidden
        candidate = gates[:, 2 * hidden : 3 * hidden].tanh()
        gates.sigmoid_()
        now = gates[:, :hidden] * candidate
        if cells is not None:
            now.addcmul_(gates[:, hidden : 2 * hidden], cells)
        return gates[:, 3 * hidden :] * now.tanh(), now


def tree(tokens: torch.Tensor) -> Tuple[List[torch.Tensor], torch.Tensor]:
    """
    Of each step one sequence for each of the beginnings up to there, and the number of the beginning
    that each sequence has there. Shape: (sets, steps) -> [(beginnings,)], (sets, steps)
    """
    sequences = tokens.numpy()
    # Those that begin alike become neighbours.
    order = numpy.lexsort(sequences.T[::-1])
    ordered = sequences[order]
    differs = ordered[1:] != ordered[:-1]
    # From where on each is not as the one before.
    new = numpy.ones(sequences.shape, dtype=bool)
    numpy.logical_or.accumulate(differs, axis=1, out=new[1:])
    nodes = numpy.empty(sequences.shape, dtype=numpy.int64)
    nodes[order] = numpy.cumsum(new, axis=0) - 1
    levels = [torch.from_numpy(order[starts]) for starts in new.T]
    return levels, torch.from_numpy(nodes)
