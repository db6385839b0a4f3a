"""
Every token of a text erased in turn through a one-layer LSTM, without running it anew for each.

Erasing token t changes the forward states after t and the backward states before t, and nothing
else: each direction runs again from t to its own end only, all erased tokens that a step comes
after take it together, and of any state at most one half is new. Of the new states nothing is kept
but what attention and decoder make of them: a score, and a vote for each label.
"""

from typing import Iterator, List, Optional, Tuple

import torch
from torch.nn.functional import linear

from attention_explain.interpret.erased_logits import attended_logits
from attention_explain.interpret.readout import Readout, tanh_
from attention_explain.interpret.shared_steps import groups, steps
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.interpret.unrolled_lstm import (
    LstmLayer,
    directed,
    is_lstm,
    lstm_layers,
    undirected,
    unroll,
)
from attention_explain.models import AttentionClassifier


def erases_fast(model: AttentionClassifier) -> bool:
    """Whether the model is one that this file can do."""
    return is_single_lstm(model.encoder) and Readout.knows(model.attention.scorer)


def is_single_lstm(encoder: torch.nn.Module) -> bool:
    """AllenNLP's `lstm` of one layer, in one direction or two."""
    return (
        is_lstm(encoder)
        and not encoder.stateful
        and encoder._module.num_layers == 1
        and encoder._module.proj_size == 0
    )


@torch.no_grad()
def lstm_logits_without_inputs(
    model: AttentionClassifier,
    batch: TextBatch,
    embeddings: torch.Tensor,
    replacement: Optional[torch.Tensor] = None,
) -> torch.Tensor:
    """
    The logits of each text with each token in turn deleted, or replaced by its `replacement`.
    Shape: (batch, tokens, labels)
    """
    # The scores and votes of all pairs of tokens are held at once: of so many texts that they take
    # no more memory than the states of one pass.
    pairs = batch.length**2 * (1 + len(model.labels))
    texts = max(1, batch.budget * model.encoder.get_output_dim() // pairs)
    parts = [part.split(texts) for part in (embeddings, batch.mask, batch.attendable)]
    replacements = [None] * len(parts[0]) if replacement is None else replacement.split(texts)
    return torch.cat([_erase(model, *part) for part in zip(*parts, replacements)])


def _erase(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
    replacement: Optional[torch.Tensor],
) -> torch.Tensor:
    directions = _read(model, embeddings, mask)
    readout = Readout.of(model)
    # Shape: (hidden, readout)
    halves = [half.t().contiguous() for half in readout.weight.chunk(len(directions), dim=1)]
    # What each half of a state adds to what is made of it. Shape: (tokens, batch, readout)
    shares = [direction.states @ half for direction, half in zip(directions, halves)]
    whole = sum(shares) + readout.bias
    tokens = len(whole)
    # Without a new half a state is as in the whole text. Indexed [state, erased token, text].
    scores = readout.scores(whole).unsqueeze(1).repeat(1, tokens, 1)
    votes = readout.votes(whole).unsqueeze(1).repeat(1, tokens, 1, 1)

    if replacement is not None:
        for direction in directions:
            direction.read_instead(replacement)
        # Of the state of what stands in the erased token's place both halves are new.
        read = sum(way.new_states @ half for way, half in zip(directions, halves))
        same = torch.arange(tokens, device=mask.device)
        scores[same, same] = readout.scores(read + readout.bias)
        votes[same, same] = readout.votes(read + readout.bias)
    erasable = attendable.any(dim=0).nonzero()
    positions = range(int(erasable.min()), int(erasable.max()) + 1)
    for direction, half, share in zip(directions, halves, shares):
        for step, erased, new_states in direction.run_again(positions):
            read = add_product(whole[step] - share[step], new_states, half)
            scores[step, erased] = readout.scores(read)
            votes[step, erased] = readout.votes(read)

    # Shape: (batch, erased token, state)
    seen = attendable.unsqueeze(1).repeat(1, tokens, 1)
    if replacement is None:
        seen.diagonal(dim1=1, dim2=2).fill_(False)
    return attended_logits(model, scores.permute(2, 1, 0), votes.permute(2, 1, 0, 3), seen)


def _read(
    model: AttentionClassifier, embeddings: torch.Tensor, mask: torch.Tensor
) -> List["_Direction"]:
    """Runs the LSTM once over the whole texts."""
    (layer,) = lstm_layers(model.encoder)
    lengths = mask.sum(dim=-1)
    run = unroll(layer, directed(embeddings, lengths, layer.directions))
    return [
        _Direction(layer, number, embeddings, *vectors)
        for number, vectors in enumerate(
            zip(
                undirected(run.states[:, 1:], lengths),
                undirected(run.states[:, :-1], lengths),
                undirected(run.cells[:, :-1], lengths),
            )
        )
    ]


class _Direction:
    """
    One direction of the LSTM, which has read the whole texts; everything in the order of the text,
    whatever the order of reading. Shape: (tokens, batch, dim)

    gates : the inputs' share of the gates.
    states : after each token of the whole text.
    new_states, new_cells : of the text without each token, so far as it has been read: at first up
        to where that token was.
    """

    def __init__(
        self,
        layer: LstmLayer,
        number: int,
        embeddings: torch.Tensor,
        states: torch.Tensor,
        states_before: torch.Tensor,
        cells_before: torch.Tensor,
    ) -> None:
        self.towards_start = number == 1
        # With the candidate doubled one sigmoid serves all gates: tanh(x) = 2 sigmoid(2 x) - 1.
        hidden = states.size(-1)
        scale = states.new_ones(4, hidden)
        scale[2] = 2
        scale = scale.view(-1)
        self._input_weights = layer.input_weights[number] * scale.unsqueeze(-1)
        self._state_weights = (layer.state_weights[number] * scale.unsqueeze(-1)).t().contiguous()
        self._bias = layer.bias[number] * scale
        self.gates = self._input_gates(embeddings)
        self.states = states.transpose(0, 1)
        self.new_states = states_before.transpose(0, 1).clone()
        self.new_cells = cells_before.transpose(0, 1).clone()

    def read_instead(self, embeddings: torch.Tensor) -> None:
        """Lets other embeddings be read in the place of each erased token."""
        self._step(self._input_gates(embeddings), self.new_states, self.new_cells)

    def run_again(self, positions: range) -> Iterator[Tuple[int, slice, torch.Tensor]]:
        """
        Each step, the erased tokens that it comes after, and its new states; these last only until
        the next step. Shape: (erased tokens, batch, hidden)
        """
        for group in groups(positions, self.gates):
            for step, erased in steps(group, len(self.gates), self.towards_start):
                self._step(self.gates[step], self.new_states[erased], self.new_cells[erased])
                yield step, erased, self.new_states[erased]

    def _input_gates(self, embeddings: torch.Tensor) -> torch.Tensor:
        return linear(embeddings.transpose(0, 1), self._input_weights, self._bias)

    def _step(self, gates: torch.Tensor, states: torch.Tensor, cells: torch.Tensor) -> None:
        """
        New states and cells in place, from the inputs' share of the gates.
        Shape: (batch, 4 * hidden) or (many, batch, 4 * hidden), then (many, batch, hidden)
        """
        gates = add_product(gates, states, self._state_weights).sigmoid_()
        enter, forget, candidate, leave = gates.chunk(4, dim=-1)
        cells.mul_(forget).addcmul_(enter, candidate.mul_(2).sub_(1))
        tanh_(states.copy_(cells)).mul_(leave)


def add_product(base: torch.Tensor, vectors: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """
    base + vectors @ weight, as one product of matrices.
    Shape: (batch, out) or (many, batch, out), (many, batch, in), (in, out) -> (many, batch, out)
    """
    result = base.expand(len(vectors), -1, -1).clone(memory_format=torch.contiguous_format)
    result.flatten(0, 1).addmm_(vectors.flatten(0, 1), weight)
    return result
