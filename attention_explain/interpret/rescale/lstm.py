"""
The rules for an LSTM: tanh and sigmoid by the rescale rule, gate times signal by the rule for
products. The values of both runs come from one unrolled pass; then the differences, step by step.
"""

import torch
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper

from attention_explain.interpret.rescale.two_runs import TwoRuns, secant
from attention_explain.modules.encoders.lstm import (
    LstmLayer,
    UnrolledLstm,
    directed,
    lstm_layers,
    undirected,
    unroll,
)


def lstm_states(encoder: PytorchSeq2SeqWrapper, inputs: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Shape: (batch, tokens, input) -> (batch, tokens, directions * hidden)"""
    lengths = mask.sum(dim=1)
    for layer in lstm_layers(encoder):
        both = directed(
            torch.cat([inputs.text, inputs.baseline]), lengths.repeat(2), layer.directions
        )
        run = unroll(layer, both)
        text, baseline = (
            torch.cat(undirected(states, lengths), dim=-1) * mask.unsqueeze(-1)
            for states in run.states[:, 1:].chunk(2, dim=2)
        )
        differences = state_differences(
            layer, run, directed(inputs.difference, lengths, layer.directions)
        )
        difference = torch.cat(undirected(differences, lengths), dim=-1) * mask.unsqueeze(-1)
        inputs = TwoRuns(text, baseline, difference)
    return inputs


def state_differences(
    layer: LstmLayer, run: UnrolledLstm, differences: torch.Tensor
) -> torch.Tensor:
    """
    The differences of the states from those of the inputs.
    Shape: (directions, tokens, batch, input) -> (directions, tokens, batch, hidden)
    """
    hidden = run.cells.size(-1)
    squashed = run.cells.tanh()
    gate_slopes = run.gates * (1 - run.gates)
    gate_slopes[..., 2 * hidden : 3 * hidden] = 1 - run.gates[..., 2 * hidden : 3 * hidden] ** 2
    gate_secants = _secants(run.preactivations, run.gates, gate_slopes)
    cell_secants = _secants(run.cells, squashed, 1 - squashed**2)[:, 1:]
    enter, forget, candidate, leave = _means(run.gates).chunk(4, dim=-1)
    cells, squashed = _means(run.cells), _means(squashed)[:, 1:]

    # Shape: (directions, tokens, batch, 4 * hidden)
    through_input = torch.bmm(
        differences.flatten(1, 2), layer.input_weights.transpose(1, 2)
    ).view_as(gate_secants)
    state_weights = layer.state_weights.transpose(1, 2)
    cell = state = torch.zeros_like(cells[:, 0])
    states = []
    # Not by index: the way back through an index takes the memory, and the time, of all steps.
    for step, through in enumerate(through_input.unbind(1)):
        before = torch.baddbmm(through, state, state_weights)
        of_enter, of_forget, of_candidate, of_leave = (gate_secants[:, step] * before).chunk(
            4, dim=-1
        )
        cell = (
            forget[:, step] * cell
            + cells[:, step] * of_forget
            + enter[:, step] * of_candidate
            + candidate[:, step] * of_enter
        )
        state = leave[:, step] * cell_secants[:, step] * cell + squashed[:, step] * of_leave
        states.append(state)
    return torch.stack(states, dim=1)


def _secants(before: torch.Tensor, after: torch.Tensor, slopes: torch.Tensor) -> torch.Tensor:
    return secant(_differences(before), _differences(after), _means(slopes))


def _differences(values: torch.Tensor) -> torch.Tensor:
    """The runs are the halves of the batch. Shape: (..., 2 * batch, dim) -> (..., batch, dim)"""
    text, baseline = values.chunk(2, dim=-2)
    return text - baseline


def _means(values: torch.Tensor) -> torch.Tensor:
    text, baseline = values.chunk(2, dim=-2)
    return (text + baseline) / 2
