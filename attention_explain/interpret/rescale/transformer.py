"""
The rules for the Transformer: queries, keys and values are linear, scores and mixtures are
products, self-attention is a projection like any other, and a layer norm is a product with
1 / deviation.
"""

import math
from typing import Tuple

import torch

from attention_explain.interpret.rescale import two_runs
from attention_explain.interpret.rescale.attention import project
from attention_explain.interpret.rescale.two_runs import TwoRuns
from attention_explain.modules.encoders import TransformerEncoder
from attention_explain.modules.encoders.query_pieces import in_pieces
from attention_explain.modules.layer_attention import LayerParts, SelfAttentionParts


def transformer_states(encoder: TransformerEncoder, inputs: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Shape: (batch, tokens, input) -> (batch, tokens, hidden)"""
    with torch.no_grad():
        positions = encoder._position_vectors(inputs.text)
    if isinstance(encoder.input_layer, torch.nn.Linear):
        inputs = two_runs.linear(encoder.input_layer, inputs)
    states = two_runs.linear_map(lambda values: values, inputs, bias=positions)
    for layer in encoder.layers:
        states = layer_states(layer, states, mask)
    return two_runs.linear_map(lambda values: values * mask.unsqueeze(-1), states)


def layer_states(layer: LayerParts, states: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Of our own transformer, or of a pretrained one. Shape: (batch, places, hidden)"""
    attended = _self_attention(layer.self_attention, states, mask)
    states = normal_states(layer.attention_norm, two_runs.add(states, attended))
    inner = two_runs.elementwise(layer.activation, two_runs.linear(layer.inner, states))
    fed = two_runs.linear(layer.outer, inner)
    return normal_states(layer.feedforward_norm, two_runs.add(states, fed))


def _self_attention(attention: SelfAttentionParts, states: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    queries, keys, values = (
        two_runs.linear_map(attention.split_heads, two_runs.linear(layer, states))
        for layer in (attention.query_layer, attention.key_layer, attention.value_layer)
    )
    scale = 1 / math.sqrt(keys.text.size(-1))
    places = mask.size(1)
    # Shape: (1, heads or 1, places that attend, places attended to or 1)
    bias = queries.text.new_zeros(1, 1, places, 1)
    if attention.bias is not None:
        bias = attention.bias(places).detach().unsqueeze(0)

    def attend(*numbers: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        queries, bias = TwoRuns(*numbers[:3]), numbers[3]
        keys, values = TwoRuns(*numbers[4:7]), TwoRuns(*numbers[7:])
        # Shape: (batch, heads, places that attend, places attended to)
        scores = two_runs.multiply(queries, keys, lambda query, key: query @ key.mT * scale)
        scores = two_runs.linear_map(lambda values: values, scores, bias)
        weights = project(attention.projection, scores, mask[:, None, None, :])
        return two_runs.multiply(weights, values, torch.matmul).parts

    mixed = TwoRuns(*in_pieces(attend, [*queries.parts, bias], *keys.parts, *values.parts))
    return two_runs.linear(
        attention.output_layer, two_runs.linear_map(attention.merge_heads, mixed)
    )


def normal_states(norm: torch.nn.LayerNorm, inputs: TwoRuns) -> TwoRuns:
    """Layer normalisation of the text and of the baseline."""
    centered = two_runs.linear_map(
        lambda values: values - values.mean(dim=-1, keepdim=True), inputs
    )
    variance = two_runs.linear_map(
        lambda squares: squares.mean(dim=-1, keepdim=True),
        two_runs.multiply(centered, centered),
        bias=norm.eps,
    )
    gain, shift = norm.weight.detach(), norm.bias.detach()
    normal = two_runs.multiply(centered, two_runs.rsqrt(variance))
    return two_runs.linear_map(lambda values: values * gain, normal, bias=shift)
