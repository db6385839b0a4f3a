"""
AllenNLP's `lstm`, run in other ways than its own.

On the CPU without packing. AllenNLP packs every batch, and torch's backward pass through a packed
sequence on the CPU takes time that grows with the square of the length: at 375 tokens ten times that
of the same LSTM over padded texts. The states are the same.

Step by step, with every gate and cell at hand: what methods need that propagate something other than
a gradient. Both directions run in one loop. And which steps several positions of a text can take
together. Removing token t changes the states that are read after t; the gradient of state t reaches
the tokens that were read before it. Either way position t starts its own run at t and ends at one end
of the text, and at step s all positions that have started take the same step: one matrix product.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from allennlp.modules import Seq2SeqEncoder
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper

from attention_explain.errors import InputError


def runs_unpacked(encoder: Seq2SeqEncoder, inputs: torch.Tensor) -> bool:
    """Whether `unpacked_states` can, and should, replace the encoder's own forward pass."""
    return (
        is_lstm(encoder)
        and encoder._module.batch_first
        and not encoder._module.proj_size
        and not encoder.stateful
        # cuDNN handles packed sequences well.
        and not inputs.is_cuda
    )


def encoded(encoder: Seq2SeqEncoder, inputs: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """What `encoder(inputs, mask)` gives, the fastest way."""
    if runs_unpacked(encoder, inputs):
        return unpacked_states(encoder, inputs, mask)
    return encoder(inputs, mask)


def unpacked_states(
    encoder: PytorchSeq2SeqWrapper, inputs: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    """
    What `encoder(inputs, mask)` gives. Padding is at the end of a text, where the first direction
    meets it too late to be changed by it; the second direction reads each text from its last token.
    Shape: (batch, tokens, input) -> (batch, tokens, directions * hidden)
    """
    lstm = encoder._module
    lengths = mask.sum(dim=1)
    states = inputs
    for layer in range(lstm.num_layers):
        if layer > 0 and lstm.dropout:
            states = torch.nn.functional.dropout(states, lstm.dropout, lstm.training)
        directions = [_run(lstm, f"_l{layer}", states)]
        if lstm.bidirectional:
            backwards = _run(lstm, f"_l{layer}_reverse", reverse(states, lengths))
            directions.append(reverse(backwards, lengths))
        states = torch.cat(directions, dim=-1)
    return states * mask.unsqueeze(-1)


def reverse(vectors: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """
    Each text backwards, its padding where it was; twice is nothing. Shape: (batch, tokens, dim)
    """
    positions = torch.arange(vectors.size(1), device=vectors.device)
    backwards = lengths.unsqueeze(-1) - 1 - positions
    positions = torch.where(backwards >= 0, backwards, positions)
    texts = torch.arange(vectors.size(0), device=vectors.device).unsqueeze(-1)
    rows = (texts * vectors.size(1) + positions).flatten()
    # A vector at once: to gather number by number, and to scatter their gradients, is slower than
    # anything else in a training step but the LSTM itself.
    return vectors.reshape(-1, vectors.size(-1)).index_select(0, rows).view(vectors.shape)


def _run(lstm: torch.nn.LSTM, suffix: str, inputs: torch.Tensor) -> torch.Tensor:
    """One layer in one direction. Shape: (batch, tokens, input) -> (batch, tokens, hidden)"""
    start = inputs.new_zeros(1, inputs.size(0), lstm.hidden_size)
    states, _, _ = torch._VF.lstm(
        inputs,
        (start, start),
        _weights(lstm, suffix),
        lstm.bias,
        1,  # layers
        0.0,  # dropout
        lstm.training,
        False,  # bidirectional
        True,  # batch first
    )
    return states


def _weights(lstm: torch.nn.LSTM, suffix: str) -> list[torch.Tensor]:
    names = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if lstm.bias else [])
    return [getattr(lstm, name + suffix) for name in names]


@dataclass(frozen=True)
class LstmLayer:
    """
    The weights of one layer, all directions stacked; the gates in the order of torch: input,
    forget, candidate, output.

    input_weights : Shape: (directions, 4 * hidden, input)
    state_weights : Shape: (directions, 4 * hidden, hidden)
    bias : Shape: (directions, 4 * hidden)
    """

    input_weights: torch.Tensor
    state_weights: torch.Tensor
    bias: torch.Tensor

    @property
    def directions(self) -> int:
        """1, or 2 for a bidirectional layer."""
        return self.bias.size(0)


@dataclass(frozen=True)
class UnrolledLstm:
    """
    What happened at each step, of a sequence that each direction reads from its own first token.

    preactivations : of the four gates. Shape: (directions, tokens, batch, 4 * hidden)
    gates : Shape: as `preactivations`
    cells : with the zeros before the first step. Shape: (directions, tokens + 1, batch, hidden)
    states : as `cells`
    """

    preactivations: torch.Tensor
    gates: torch.Tensor
    cells: torch.Tensor
    states: torch.Tensor


def is_lstm(encoder: torch.nn.Module) -> bool:
    """Whether the encoder wraps an LSTM of PyTorch."""
    return isinstance(encoder, PytorchSeq2SeqWrapper) and isinstance(encoder._module, torch.nn.LSTM)


def is_single_lstm(encoder: torch.nn.Module) -> bool:
    """AllenNLP's `lstm` of one layer, in one direction or two."""
    return (
        is_lstm(encoder)
        and not encoder.stateful
        and encoder._module.num_layers == 1
        and encoder._module.proj_size == 0
    )


def check_unrolls(encoder: PytorchSeq2SeqWrapper) -> None:
    """Raise if the LSTM is stateful or projects its states."""
    if encoder.stateful or encoder._module.proj_size:
        raise InputError(
            "an lstm that is stateful or projects its states has no unrolled form here"
        )


def lstm_layers(encoder: PytorchSeq2SeqWrapper) -> list[LstmLayer]:
    """The layers of AllenNLP's `lstm`."""
    check_unrolls(encoder)
    lstm, layers = encoder._module, []
    for number in range(lstm.num_layers):
        suffixes = [f"_l{number}", f"_l{number}_reverse"][: 2 if lstm.bidirectional else 1]
        input_weights, state_weights = (
            torch.stack([getattr(lstm, f"weight_{kind}{suffix}").detach() for suffix in suffixes])
            for kind in ("ih", "hh")
        )
        bias = input_weights.new_zeros(input_weights.shape[:2])
        if lstm.bias:
            for row, suffix in enumerate(suffixes):
                for kind in ("ih", "hh"):
                    bias[row] += getattr(lstm, f"bias_{kind}{suffix}").detach()
        layers.append(LstmLayer(input_weights, state_weights, bias))
    return layers


def directed(vectors: torch.Tensor, lengths: torch.Tensor, directions: int) -> torch.Tensor:
    """
    The sequence as each direction reads it: the second from the last token of each text. Padding
    stays at the end, so that no step ever needs a mask.
    Shape: (batch, tokens, dim) -> (directions, tokens, batch, dim)
    """
    both = [vectors, reverse(vectors, lengths)][:directions]
    return torch.stack([vectors.transpose(0, 1) for vectors in both])


def undirected(vectors: torch.Tensor, lengths: torch.Tensor) -> list[torch.Tensor]:
    """
    The inverse of `directed`: each direction's vectors, in the order of the text.
    Shape: (directions, tokens, batch, dim) -> [(batch, tokens, dim)]
    """
    each = list(vectors.transpose(1, 2))
    return each[:1] + [reverse(other, lengths) for other in each[1:]]


@torch.no_grad()
def unroll(layer: LstmLayer, inputs: torch.Tensor) -> UnrolledLstm:
    """
    Runs the layer. Shape of inputs: (directions, tokens, batch, input), from `directed`.
    """
    directions, tokens, batch, _ = inputs.shape
    hidden = layer.state_weights.size(-1)
    # What does not depend on the states is one product for all steps.
    preactivations = torch.baddbmm(
        layer.bias.unsqueeze(1), inputs.flatten(1, 2), layer.input_weights.transpose(1, 2)
    ).view(directions, tokens, batch, 4 * hidden)
    gates = torch.empty_like(preactivations)
    cells = inputs.new_zeros(directions, tokens + 1, batch, hidden)
    states = torch.zeros_like(cells)
    state_weights = layer.state_weights.transpose(1, 2).contiguous()
    for step in range(tokens):
        before = preactivations[:, step].baddbmm_(states[:, step], state_weights)
        torch.sigmoid(before, out=gates[:, step])
        enter, forget, candidate, leave = gates[:, step].chunk(4, dim=-1)
        torch.tanh(before[..., 2 * hidden : 3 * hidden], out=candidate)
        kept = forget * cells[:, step]
        torch.addcmul(kept, enter, candidate, out=cells[:, step + 1])
        torch.mul(leave, cells[:, step + 1].tanh(), out=states[:, step + 1])
    return UnrolledLstm(preactivations, gates, cells, states)


# Rows of one product: many enough for a fast one, few enough to stay in a processor's cache.
ROWS_IN_CACHE = 1024


def groups(positions: range, batch: torch.Tensor) -> Iterator[range]:
    """
    The positions, as many at a time as should share their steps for so large a batch.
    Shape of batch: (tokens, batch, dim)
    """
    tokens, texts, _ = batch.shape
    # Elsewhere than on a CPU larger products are always better.
    together = max(1, ROWS_IN_CACHE // texts) if batch.device.type == "cpu" else tokens
    for first in range(positions.start, positions.stop, together):
        yield range(first, min(first + together, positions.stop))


def steps(group: range, tokens: int, towards_start: bool) -> Iterator[tuple[int, slice]]:
    """
    Every step s away from the group, towards one end of the text, and the positions of the group
    that have started before s.
    """
    if towards_start:
        for step in reversed(range(group.stop - 1)):
            yield step, slice(max(step + 1, group.start), group.stop)
    else:
        for step in range(group.start + 1, tokens):
            yield step, slice(group.start, min(step, group.stop))
