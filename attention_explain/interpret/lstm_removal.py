"""
Every token of a text removed in turn through a one-layer LSTM, without running it again for each.

Removing token t changes the forward states after t and the backward states before t, and nothing
else: each direction runs again from t to its own end only, all removed tokens that a step comes
after take it together, and of any state at most one half is new. Of the new states nothing is kept
but what attention and decoder make of them: a score, and a vote for each label.

An LSTM forgets. Once the states without a token are those of the whole text, but for rounding, so
is all that follows: the run of that token ends there, and not at the end of the text.
"""

import math
from collections.abc import Iterator

import torch
from torch.nn.functional import linear

from attention_explain.interpret.removal import Readout, RemovalLogits, attended_logits
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.modules import projections
from attention_explain.modules.lstm import (
    LstmLayer,
    directed,
    groups,
    lstm_layers,
    steps,
    undirected,
    unroll,
)
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.passes import rows_at_once

# Of a state of the encoders that the papers use.
PUBLISHED_SIZE = 256
# To look whether states are those of the whole text takes about half the time of a step.
STEPS_BETWEEN_LOOKS = 8
# The whole text was read by other operations, whose states differ from these by some roundings.
ROUNDINGS = 8


class LstmDirection:
    """
    One direction, which has read whole texts and runs again without each token. Everything is in
    the order of the text, whatever the order of reading.
    Shape: (tokens, batch, dim)

    gates : the inputs' share of the gates.
    states, cells : after each token of the whole text.
    counted : where a token may be removed.
    half_states, double_cells : of the text without each token, so far as it has been read: at first
        up to where that token was.
    """

    def __init__(
        self,
        layer: LstmLayer,
        number: int,
        embeddings: torch.Tensor,
        attendable: torch.Tensor,
        states: torch.Tensor,
        cells: torch.Tensor,
        states_before: torch.Tensor,
        cells_before: torch.Tensor,
    ) -> None:
        self.towards_start = number == 1
        self._steps = LstmSteps(layer, number)
        self.gates = self._steps.input_gates(embeddings.transpose(0, 1))
        self.states = states.transpose(0, 1)
        self.cells = cells.transpose(0, 1)
        self.counted = attendable.t()
        self.half_states = states_before.transpose(0, 1) / 2
        self.double_cells = cells_before.transpose(0, 1) * 2
        self._products = Products()

    def read_instead(self, embeddings: torch.Tensor) -> None:
        """Lets other embeddings be read instead of each removed token."""
        gates = self._steps.input_gates(embeddings.transpose(0, 1))
        self._step(gates, self.half_states, self.double_cells)

    def run_again(self, positions: range) -> Iterator[tuple[int, slice, torch.Tensor]]:
        """
        Each step, the removed tokens that it comes after, and half its new states; these last only
        until the next step. Shape: (removed tokens, batch, hidden)
        """
        for group in groups(positions, self.gates):
            # The removed tokens whose runs are not at an end.
            running = group
            for number, (step, started) in enumerate(
                steps(group, len(self.gates), self.towards_start), 1
            ):
                first = max(started.start, running.start)
                removed = slice(first, max(first, min(started.stop, running.stop)))
                if removed.start == removed.stop:
                    continue
                half_states, double_cells = self.half_states[removed], self.double_cells[removed]
                self._step(self.gates[step], half_states, double_cells)
                yield step, removed, half_states
                if number % STEPS_BETWEEN_LOOKS == 0 and projections.on_host(half_states):
                    running = self._still_other(step, removed, running)
                    if not running:
                        break

    def _still_other(self, step: int, removed: slice, running: range) -> range:
        """
        Those that still run after a step. They are neighbours: the run that began first, furthest
        from the step, ends first, or its neighbours go on with it.
        """
        states, cells = self.states[step], self.cells[step]
        rounding = ROUNDINGS * torch.finfo(states.dtype).eps
        other = (2 * self.half_states[removed] - states).abs_().amax(dim=-1) > rounding
        size = cells.abs().amax(dim=-1).clamp_min_(1)
        other |= (self.double_cells[removed] / 2 - cells).abs_().amax(dim=-1) > rounding * size
        positions = (other & self.counted[removed]).any(dim=-1).nonzero()
        if self.towards_start:
            last = removed.start + int(positions.max()) + 1 if len(positions) else removed.start
            return range(running.start, last)
        first = removed.start + int(positions.min()) if len(positions) else removed.stop
        return range(first, running.stop)

    def _step(self, gates: torch.Tensor, states: torch.Tensor, cells: torch.Tensor) -> None:
        """
        New half states and double cells in position, from the inputs' share of the gates.
        Shape: (batch, 4 * hidden) or (many, batch, 4 * hidden), then (many, batch, hidden)
        """
        work = self._products(gates, states, self._steps.state_weights)
        self._steps.advance(work, states, cells)


class Products:
    """
    base + vectors @ weight, as one product of matrices. Each result is written over the last one:
    fresh memory would cost as much as the product.
    """

    def __init__(self) -> None:
        self._memory = torch.empty(0)

    def __call__(
        self, base: torch.Tensor, vectors: torch.Tensor, weight: torch.Tensor
    ) -> torch.Tensor:
        """
        Shape: (batch, out) or (many, batch, out), (many, batch, in), (in, out) -> (many, batch, out)
        """
        shape = (*vectors.shape[:2], weight.size(-1))
        size = math.prod(shape)
        if self._memory.numel() < size:
            self._memory = base.new_empty(size)
        result = self._memory[:size].view(shape).copy_(base)
        result.flatten(0, 1).addmm_(vectors.flatten(0, 1), weight)
        return result


@torch.no_grad()
def remove_from_lstm(
    model: AttentionClassifier,
    batch: TextBatch,
    embeddings: torch.Tensor,
    replacement: torch.Tensor | None = None,
) -> RemovalLogits:
    """Each token in turn deleted, or replaced by its `replacement`."""
    # The scores and votes of all pairs of tokens are held at once (of a long text, block by block):
    # of as many texts as take no more memory than the states of one pass through an encoder of
    # the published size; more would leave the cache. A decoder of pairs has more votes than labels.
    size = max(PUBLISHED_SIZE, model.encoder.get_output_dim())
    texts = batch.budget * size // (batch.length**2 * (1 + len(model.labels)))
    votes = len(model.decoder.vote_weight)
    most = rows_at_once(batch.length**2 * (1 + votes), embeddings.device.type)
    texts = max(1, min(texts, most))
    if Readout.is_of_one_text(model.attention.scorer):
        texts = 1
    removed = []
    for first in range(0, len(batch), texts):
        some = slice(first, first + texts)
        instead = None if replacement is None else replacement[some]
        removed.append(
            _remove(model, embeddings[some], batch.inputs.rows(some), batch.seen[some], instead)
        )
    return RemovalLogits(*(torch.cat(logits) for logits in zip(*removed)))


def _remove(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    inputs: TextInputs,
    seen_by_host: torch.Tensor,
    replacement: torch.Tensor | None,
) -> RemovalLogits:
    mask, attendable, query = inputs.mask, inputs.attendable, inputs.query
    directions = _read(model, embeddings, mask, attendable)
    readout = Readout.of(model, query)
    # Shape: (hidden, readout)
    halves = [half.t().contiguous() for half in readout.weight.chunk(len(directions), dim=1)]
    # What each half of a state adds to what is made of it. Shape: (tokens, batch, readout)
    shares = [direction.states @ half for direction, half in zip(directions, halves)]
    whole = sum(shares) + readout.bias
    tokens = len(whole)
    scores, votes = readout.scores(whole), readout.votes(whole)
    if replacement is not None:
        for direction in directions:
            direction.read_instead(replacement)
        # Both halves of the state at a replaced token are new.
        read = sum(way.half_states @ (2 * half) for way, half in zip(directions, halves))
        read += readout.bias
        new_scores, new_votes = readout.scores(read), readout.votes(read)
    removable = seen_by_host.any(dim=0).nonzero()
    positions = range(int(removable.min()), int(removable.max()) + 1)
    # Elsewhere nothing is removed, and nobody looks. Shape: (batch, removed token, labels)
    logits = embeddings.new_zeros(len(mask), tokens, len(model.labels))
    products = Products()
    for block in _blocks(positions, votes):
        first, last = block.start, block.stop
        # Without a new half a state is as in the whole text. Indexed [state, removed token, text].
        of_scores = scores.unsqueeze(1).repeat(1, len(block), 1)
        of_votes = votes.unsqueeze(1).repeat(1, len(block), 1, 1)
        positions = torch.arange(len(block), device=mask.device)
        if replacement is not None:
            of_scores[positions + first, positions] = new_scores[first:last]
            of_votes[positions + first, positions] = new_votes[first:last]
        for direction, half, share in zip(directions, halves, shares):
            twice = 2 * half
            for step, removed, half_states in direction.run_again(block):
                read = products(whole[step] - share[step], half_states, twice)
                here = slice(removed.start - first, removed.stop - first)
                of_scores[step, here] = readout.scores(read)
                of_votes[step, here] = readout.votes(read)
        # Shape: (batch, removed token, state)
        seen = attendable.unsqueeze(1).repeat(1, len(block), 1)
        if replacement is None:
            seen[:, positions, positions + first] = False
        logits[:, first:last] = attended_logits(
            model, of_scores.permute(2, 1, 0), of_votes.permute(2, 1, 0, 3), seen, query
        )
    return RemovalLogits(
        attended_logits(model, scores.t(), votes.transpose(0, 1), attendable, query), logits
    )


def _blocks(positions: range, votes: torch.Tensor) -> Iterator[range]:
    """
    The tokens to remove, as many at a time as the scores and votes of all states fit into memory
    for. Shape of votes: (tokens, batch, votes)
    """
    tokens, texts, number = votes.shape
    together = rows_at_once(tokens * texts * (1 + number), votes.device.type)
    for first in range(positions.start, positions.stop, together):
        yield range(first, min(first + together, positions.stop))


def _read(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
) -> list[LstmDirection]:
    """Runs the LSTM once over the whole texts."""
    (layer,) = lstm_layers(model.encoder)
    lengths = mask.sum(dim=-1)
    run = unroll(layer, directed(embeddings, lengths, layer.directions))
    return [
        LstmDirection(layer, number, embeddings, attendable, *vectors)
        for number, vectors in enumerate(
            zip(
                undirected(run.states[:, 1:], lengths),
                undirected(run.cells[:, 1:], lengths),
                undirected(run.states[:, :-1], lengths),
                undirected(run.cells[:, :-1], lengths),
            )
        )
    ]


class LstmSteps:
    """
    state_weights : what half a state adds to the gates. Shape: (hidden, 4 * hidden)
    """

    def __init__(self, layer: LstmLayer, direction: int) -> None:
        weights = layer.state_weights[direction]
        self.hidden = weights.size(-1)
        # The candidate is doubled.
        scale = weights.new_ones(4, self.hidden)
        scale[2] = 2
        scale = scale.view(-1)
        self._input_weights = layer.input_weights[direction] * scale.unsqueeze(-1)
        self._bias = layer.bias[direction] * scale
        self.state_weights = (2 * weights * scale.unsqueeze(-1)).t().contiguous()

    def input_gates(self, vectors: torch.Tensor) -> torch.Tensor:
        """The inputs' share of the gates. Shape: (..., input) -> (..., 4 * hidden)"""
        return linear(vectors, self._input_weights, self._bias)

    @staticmethod
    def advance(gates: torch.Tensor, half_states: torch.Tensor, double_cells: torch.Tensor) -> None:
        """
        New half states and double cells in position, and the gates are used up.
        Shape: (..., 4 * hidden), (..., hidden), (..., hidden)
        """
        enter, forget, candidate, leave = gates.sigmoid_().chunk(4, dim=-1)
        # c = forget c + enter (2 candidate - 1), doubled
        double_cells.mul_(forget).addcmul_(enter, candidate, value=4).sub_(enter, alpha=2)
        # h = leave (2 sigmoid(2 c) - 1), halved
        torch.sigmoid(double_cells, out=half_states).sub_(0.5).mul_(leave)
