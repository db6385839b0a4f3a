"""
The rules for the Transformer (Ali et al. 2022, "XAI for Transformers: Better Explanations through
Conservative Propagation"): self-attention weights are constants, and so is the deviation that a
layer norm divides by; all that is left is linear and follows the epsilon rule.
"""

from typing import Any

import torch
from allennlp.modules.seq2seq_encoders import PytorchSeq2SeqWrapper

from attention_explain.modules.epsilon_rules import EpsilonRules, stabilizer
from attention_explain.modules.layer_attention import LayerParts, SelfAttentionParts
from attention_explain.modules.lstm import (
    LstmLayer,
    UnrolledLstm,
    directed,
    lstm_layers,
    undirected,
    unroll,
)
from attention_explain.modules.transformer import TransformerEncoder


def lstm_states(
    encoder: PytorchSeq2SeqWrapper, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Shape: (batch, tokens, input) -> (batch, tokens, directions * hidden)"""
    for layer in lstm_layers(encoder):
        inputs = _LstmRule.apply(layer, mask, rules.epsilon, rules.absorbed, inputs)
    return inputs


class _LstmRule(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        layer: LstmLayer,
        mask: torch.Tensor,
        epsilon: float,
        absorbed: torch.Tensor,
        inputs: torch.Tensor,
    ) -> torch.Tensor:
        ctx.lengths = mask.sum(dim=1)
        ctx.inputs = directed(inputs, ctx.lengths, layer.directions)
        ctx.layer, ctx.epsilon = layer, epsilon
        ctx.run = unroll(layer, ctx.inputs)
        states = torch.cat(undirected(ctx.run.states[:, 1:], ctx.lengths), dim=-1)
        return states * mask.unsqueeze(-1)

    @staticmethod
    def backward(ctx: Any, relevance: torch.Tensor) -> tuple[Any, ...]:
        hidden = ctx.run.cells.size(-1)
        relevance = torch.stack(
            [
                directed(part, ctx.lengths, ctx.layer.directions)[direction]
                for direction, part in enumerate(relevance.split(hidden, dim=-1))
            ]
        )
        rate, absorbed = candidate_rates(ctx.layer, ctx.run, relevance, ctx.epsilon)
        # The candidate's rows of the weights. Shape: (directions, hidden, input)
        weights = ctx.layer.input_weights[:, 2 * hidden : 3 * hidden]
        through_input = torch.bmm(rate.flatten(1, 2), weights).view_as(ctx.inputs)
        passed = undirected(ctx.inputs * through_input, ctx.lengths)
        return None, None, None, absorbed, sum(passed)


def candidate_rates(
    layer: LstmLayer, run: UnrolledLstm, relevance: torch.Tensor, epsilon: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """
    From the relevance of the states to that of the candidates g_t, from the last step to the first.

    # Returns

    rate : `torch.Tensor`
        Relevance of each candidate over its stabilised preactivation.
        Shape: (directions, tokens, batch, hidden)
    absorbed : `torch.Tensor`
        What biases and stabilisers got, of each text. Shape: (batch,)
    """
    hidden = run.cells.size(-1)
    enter, forget, candidate, _ = run.gates.chunk(4, dim=-1)
    before = run.preactivations[..., 2 * hidden : 3 * hidden]
    under_candidate = stabilizer(before, epsilon)
    in_cell = stabilizer(run.cells[:, 1:], epsilon)
    cells = run.cells[:, 1:] + in_cell
    # c_t = f_t c_{t-1} + i_t g_t: the shares of the old cell and of the candidate.
    kept = forget * run.cells[:, :-1] / cells
    entered = enter * candidate / cells / (before + under_candidate)
    state_weights = layer.state_weights[:, 2 * hidden : 3 * hidden].contiguous()

    last = relevance.size(1) - 1
    of_cells = torch.empty_like(kept)
    of_cells[:, last] = relevance[:, last]
    rate = torch.empty_like(kept)
    for step in range(last, -1, -1):
        torch.mul(entered[:, step], of_cells[:, step], out=rate[:, step])
        if step > 0:
            through_state = torch.bmm(rate[:, step], state_weights)
            of_state = torch.addcmul(relevance[:, step - 1], run.states[:, step], through_state)
            # h = o tanh(c) gives all to c, which also has its share in the cell that follows.
            torch.addcmul(of_state, kept[:, step], of_cells[:, step], out=of_cells[:, step - 1])

    # Shape: (directions, 1, 1, hidden)
    bias = layer.bias[:, None, None, 2 * hidden : 3 * hidden]
    absorbed = rate * (bias + under_candidate) + of_cells * in_cell / cells
    return rate, absorbed.sum(dim=(0, 1, 3))


def transformer_states(
    encoder: TransformerEncoder, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """
    Position vectors count as biases. Shape: (batch, tokens, input) -> (batch, tokens, hidden)
    """
    linear = isinstance(encoder.input_layer, torch.nn.Linear)
    with torch.no_grad():
        at_zero = encoder.input_layer(torch.zeros_like(inputs[:1, :1]))
        bias = at_zero + encoder._position_vectors(inputs)
    states = rules.linear_map(
        lambda values: values @ encoder.input_layer.weight.T if linear else values,
        inputs,
        bias=bias,
    )
    for layer in encoder.layers:
        states = layer_states(layer, states, mask, rules)
    return states * mask.unsqueeze(-1)


def layer_states(
    layer: LayerParts, states: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Of our own transformer, or of a pretrained one. Shape: (batch, positions, hidden)"""
    attended = _self_attention(layer.self_attention, states, mask, rules)
    states = normal_states(layer.attention_norm, rules.add(states, attended), rules)
    inner = rules.elementwise(layer.activation, rules.linear(layer.inner, states))
    fed = rules.add(states, rules.linear(layer.outer, inner))
    return normal_states(layer.feedforward_norm, fed, rules)


def _self_attention(
    attention: SelfAttentionParts, states: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    with torch.no_grad():
        queries = attention.split_heads(attention.query_layer(states))
        keys = attention.split_heads(attention.key_layer(states))
    values = attention.split_heads(rules.linear(attention.value_layer, states))
    mixed = rules.linear_map(
        lambda signal: attention.mix(queries, keys, signal, mask),
        values,
        bias=values.new_zeros(()),
    )
    return rules.linear(attention.output_layer, attention.merge_heads(mixed))


def normal_states(
    norm: torch.nn.LayerNorm, inputs: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    """Their LN rule: (x - mean) / deviation * gain with a constant deviation, then the shift."""
    variance = inputs.detach().var(dim=-1, unbiased=False, keepdim=True)
    gain = norm.weight.detach() * torch.rsqrt(variance + norm.eps)
    return rules.linear_map(
        lambda values: gain * (values - values.mean(dim=-1, keepdim=True)),
        inputs,
        bias=norm.bias.detach(),
    )
