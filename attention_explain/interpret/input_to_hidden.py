"""Input -> hidden importance: whether a hidden state stands for its own token."""

from collections.abc import Iterator, Sequence
from functools import cached_property

import torch
from allennlp.interpret.saliency_interpreters import SaliencyInterpreter
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper

from attention_explain.interpret.interpreter import Attribution, Interpreter, declared_passes
from attention_explain.interpret.text_batch import TextBatch
from attention_explain.models import AttentionClassifier
from attention_explain.models.classifier import encoder_of_tokens
from attention_explain.modules.capabilities import StateGradients, Window, capability
from attention_explain.modules.lstm import (
    LstmLayer,
    UnrolledLstm,
    directed,
    lstm_layers,
    steps,
    undirected,
    unroll,
)
from attention_explain.modules.projections import entropy
from attention_explain.modules.text_inputs import TextInputs
from attention_explain.passes import rows_at_once, untouched


@SaliencyInterpreter.register("input-to-hidden")
class InputToHidden(Interpreter):
    """
    The score of token p is the normalised entropy of the importance of all inputs for hidden state
    p (`input_to_hidden`): 0 if the state knows a single input alone, 1 if all count the same. It is
    no saliency of the token. The mean over the text (Meister et al. 2021, Table 1) is its
    `mean_entropy`. Undefined, NaN, in a text of one token, and for a state that no input moves. Of
    a word in pieces the largest norm counts.

    Registered as a `SaliencyInterpreter` with name "input-to-hidden".
    """

    class_specific = False
    needs = ("states",)
    signed = False
    passes = declared_passes("input-to-hidden")

    def attribute(self, batch: TextBatch, target: torch.Tensor) -> Attribution:
        tokens = batch.attendable.sum(dim=-1, keepdim=True)
        by_group = []
        for importance in importance_of_groups(self.model, batch):
            entropies = entropy(importance) / tokens.to(importance.dtype).log()
            defined = (tokens > 1) & (importance.sum(dim=-1) > 0)
            by_group.append(torch.where(defined, entropies, torch.nan))
        entropies = torch.cat(by_group, dim=1)
        mean = entropies.masked_fill(~batch.attendable, torch.nan).nanmean(dim=-1)
        return Attribution(entropies, {"mean_entropy": mean})


def input_to_hidden(model: AttentionClassifier, batch: TextBatch) -> torch.Tensor:
    """
    The L2 norm of the gradient of ||h_p|| w.r.t. each input embedding x_j, normalised over the
    inputs (Meister et al. 2021, eq. 5). States and inputs are those of the tokens that attention
    sees: rows and columns of boundary symbols and padding are 0, as is the row of a state that no
    input moves. Behind the layer norm of a Transformer the norm of a state varies by the gains and
    biases alone; where all gains are equal, as before training, hardly anything but rounding is
    left of it. Shape: (batch, states, inputs)
    """
    return torch.cat(list(importance_of_groups(model, batch)), dim=1)


def importance_of_groups(model: AttentionClassifier, batch: TextBatch) -> Iterator[torch.Tensor]:
    """
    `input_to_hidden` of as many states at a time as fit into memory, the first ones first: of a text
    of 20,000 tokens the whole takes 2 GB, and as much again for each step of the way.
    Shape: (batch, states of the group, inputs)
    """
    together = rows_at_once(len(batch) * batch.length, batch.mask.device.type)
    groups = [
        range(first, min(first + together, batch.length))
        for first in range(0, batch.length, together)
    ]
    with untouched(model):
        embeddings = model.embed(batch.tokens).detach()
        encoder = encoder_of_tokens(model)
        fast = None if encoder is None else capability(encoder, StateGradients)
        if fast is not None:
            gradients = fast.norm_gradients(embeddings, batch.mask, groups)
        else:
            gradients = _norm_gradients(model, embeddings, batch.inputs, groups)
        for group, norms in zip(groups, gradients, strict=True):
            states = batch.attendable[:, group.start : group.stop]
            counted = states.unsqueeze(-1) & batch.attendable.unsqueeze(-2)
            norms = norms.masked_fill(~counted, 0.0)
            total = norms.sum(dim=-1, keepdim=True)
            yield torch.where(total > 0, norms / total, 0.0)


def _norm_gradients(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    inputs: TextInputs,
    groups: Sequence[range],
) -> Iterator[torch.Tensor]:
    """
    The norms of the gradients of each group of states, from backward passes; states whose windows
    do not overlap share one. Shape: (batch, states, inputs)
    """
    tokens = inputs.attendable.size(1)
    encoder = encoder_of_tokens(model)
    windowed = None if encoder is None else capability(encoder, Window)
    reach = tokens if windowed is None else windowed.reach()
    window = 2 * reach + 1
    # On the host, which may then select by it.
    indices = torch.arange(tokens)
    embeddings.requires_grad_()
    norms = torch.linalg.vector_norm(model.encode(embeddings, inputs), dim=-1)
    for group in groups:
        importance = embeddings.new_zeros(len(embeddings), len(group), tokens)
        for first in group[:window]:
            (gradient,) = torch.autograd.grad(
                norms[:, first : group.stop : window].sum(), embeddings, retain_graph=True
            )
            # The state in whose window an input is, if there is one.
            state = first + (indices - first + reach) // window * window
            inside = indices[(state >= first) & (state < group.stop)]
            lengths = inputs.of_tokens(torch.linalg.vector_norm(gradient, dim=-1), "max")
            importance[:, state[inside] - group.start, inside] = lengths[:, inside]
        yield importance


# Texts at a time: what a step works on should stay in a processor's cache.
TEXTS = 32
# With fewer states than this, it does not pay to build a text's own matrix for a step.
MANY_STATES = 24


@torch.no_grad()
def lstm_norm_gradients(
    encoder: PytorchSeq2SeqWrapper,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    groups: Sequence[range],
) -> Iterator[torch.Tensor]:
    """
    The norm of d||h_p|| / dx_j, of each group of states p. Shape: (batch, states, inputs)
    """
    (layer,) = lstm_layers(encoder)
    parts = [
        _NormGradients(layer, *part)
        for part in zip(embeddings.split(TEXTS), mask.sum(dim=-1).split(TEXTS))
    ]
    for group in groups:
        yield torch.cat([part.of(group) for part in parts])


class _NormGradients:
    """Of some texts, whose states and derivatives it keeps."""

    def __init__(self, layer: LstmLayer, embeddings: torch.Tensor, lengths: torch.Tensor) -> None:
        run = unroll(layer, directed(embeddings, lengths, layer.directions))
        self.halves = undirected(run.states[:, 1:], lengths)
        self.size = torch.linalg.vector_norm(torch.cat(self.halves, dim=-1), dim=-1, keepdim=True)
        self.directions = [
            _Direction(layer, number, derivatives)
            for number, derivatives in enumerate(undirected(_local_derivatives(run), lengths))
        ]

    def of(self, group: range) -> torch.Tensor:
        """Shape: (batch, states of the group, inputs)"""
        here = slice(group.start, group.stop)
        size = self.size[:, here]
        norms = size.new_zeros(len(size), len(group), self.size.size(1))
        of_same_token = 0
        for direction, half in zip(self.directions, self.halves):
            # The gradient of a norm is the unit vector; 0 at 0, as torch has it.
            unit = torch.where(size > 0, half[:, here] / size, 0.0)
            of_same_token += direction.start(group, unit)
            for token, states, gradient in direction.go_back():
                norms[:, states, token] = torch.linalg.vector_norm(gradient, dim=-1)
        own = norms[:, :, here].diagonal(dim1=1, dim2=2)
        own.copy_(torch.linalg.vector_norm(of_same_token, dim=-1))
        return norms


def _local_derivatives(run: UnrolledLstm) -> torch.Tensor:
    """
    At each token the derivatives of: the preactivations of the input, forget and candidate gates by
    the cell, that of the output gate by the state, the cell by the state, and the cell by the cell
    before. Shape: (directions, tokens, batch, 6 * hidden)
    """
    enter, forget, candidate, leave = run.gates.chunk(4, dim=-1)
    cells_before, output = run.cells[:, :-1], run.cells[:, 1:].tanh()
    return torch.cat(
        [
            candidate * enter * (1 - enter),
            cells_before * forget * (1 - forget),
            enter * (1 - candidate**2),
            output * leave * (1 - leave),
            leave * (1 - output**2),
            forget,
        ],
        dim=-1,
    )


class _Direction:
    """
    The way back through one direction. Everything is in the order of the text, whatever the order
    of reading. Shape: (batch, tokens, ...)
    """

    def __init__(self, layer: LstmLayer, number: int, derivatives: torch.Tensor) -> None:
        self.towards_start = number == 0
        self.hidden = layer.state_weights.size(-1)
        # One product leads to both, the state before and the input. Shape: (4 * hidden, both)
        self.weights = torch.cat([layer.state_weights[number], layer.input_weights[number]], dim=1)
        # Shape: (batch, tokens, 6, hidden)
        derivatives = derivatives.unflatten(-1, (6, self.hidden))
        self.gates_by_cell, self.gate_by_state = derivatives[:, :, :3], derivatives[:, :, 3]
        self.cell_by_state, self.cell_by_before = derivatives[:, :, 4], derivatives[:, :, 5]

    @cached_property
    def own_weights(self) -> torch.Tensor:
        """
        Each text's own, for the cell and for the output gate; those for the cell are of one step,
        and `_mix_gates` fills them in. Shape: (batch, 2 * hidden, both)
        """
        return self.weights[2 * self.hidden :].repeat(len(self.gate_by_state), 1, 1)

    def start(self, group: range, gradient: torch.Tensor) -> torch.Tensor:
        """
        From the gradients at the states of a group to those at the inputs of the same tokens.
        Shape: (batch, states, hidden) -> (batch, states, input)
        """
        self.group = group
        # At the cell and at the state. Shape: (batch, states, 2 * hidden)
        self.gradients = torch.cat([torch.zeros_like(gradient), gradient], dim=-1)
        return self._step(slice(group.start, group.stop), slice(None))

    def go_back(self) -> Iterator[tuple[int, slice, torch.Tensor]]:
        """
        Each token, the states of the group that lie further on, counted from its first, and their
        gradients at its input. Shape: (batch, states, input)
        """
        tokens, first = self.gate_by_state.size(1), self.group.start
        for token, states in steps(self.group, tokens, self.towards_start):
            started = slice(states.start - first, states.stop - first)
            yield token, started, self._step(slice(token, token + 1), started)

    def _step(self, token: slice, started: slice) -> torch.Tensor:
        """
        Takes the gradients of some states one step back through a token, or each through its own.
        Returns those at the token's input. Shape: (batch, states, input)
        """
        gradients = self.gradients[:, started]
        cells, states = gradients.chunk(2, dim=-1)
        cells.addcmul_(states, self.cell_by_state[:, token])
        states.mul_(self.gate_by_state[:, token])
        if started != slice(None) and states.size(1) >= MANY_STATES:
            self._mix_gates(token)
            both = torch.bmm(gradients, self.own_weights)
        else:
            gates = states.new_empty(*states.shape[:2], 4, self.hidden)
            torch.mul(cells.unsqueeze(2), self.gates_by_cell[:, token], out=gates[:, :, :3])
            gates[:, :, 3] = states
            both = gates.flatten(2) @ self.weights
        cells.mul_(self.cell_by_before[:, token])
        states.copy_(both[..., : self.hidden])
        return both[..., self.hidden :]

    def _mix_gates(self, token: slice) -> None:
        """
        At one token of one text the first three gates are all multiples of the cell, and need one
        product instead of three: of the cell with the weighted sum of their weights.
        """
        mixed = self.own_weights[:, : self.hidden]
        # Shape: (batch, 3, hidden, 1), (4, hidden, both)
        shares = self.gates_by_cell[:, token].squeeze(1).unsqueeze(-1)
        weights = self.weights.unflatten(0, (4, self.hidden))
        torch.mul(shares[:, 0], weights[0], out=mixed)
        for gate in (1, 2):
            mixed.addcmul_(shares[:, gate], weights[gate])
