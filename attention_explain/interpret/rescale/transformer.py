"""
The rules for the Transformer: queries, keys and values are linear, scores and mixtures are
products, self-attention is a projection like any other, and a layer norm is a product with
1 / deviation.
"""

import math
from typing import Tuple

import torch

from attention_explain.interpret.rescale import pairs
from attention_explain.interpret.rescale.attention import project
from attention_explain.interpret.rescale.pairs import Pair
from attention_explain.modules.encoders import TransformerEncoder
from attention_explain.modules.encoders.query_pieces import in_pieces
from attention_explain.modules.encoders.transformer import SelfAttention, TransformerLayer


def transformer_states(encoder: TransformerEncoder, inputs: Pair, mask: torch.Tensor) -> Pair:
    """Shape: (batch, tokens, input) -> (batch, tokens, hidden)"""
    with torch.no_grad():
        positions = encoder._position_vectors(inputs.text)
    if isinstance(encoder.input_layer, torch.nn.Linear):
        inputs = pairs.linear(encoder.input_layer, inputs)
    states = pairs.linear_map(lambda values: values, inputs, bias=positions)
    for layer in encoder.layers:
        states = _layer(layer, states, mask)
    return pairs.linear_map(lambda values: values * mask.unsqueeze(-1), states)


def _layer(layer: TransformerLayer, states: Pair, mask: torch.Tensor) -> Pair:
    attended = _self_attention(layer.self_attention, states, mask)
    states = _norm(layer.attention_norm, pairs.add(states, attended))
    first, _, second = layer.feedforward
    fed = pairs.linear(second, pairs.relu(pairs.linear(first, states)))
    return _norm(layer.feedforward_norm, pairs.add(states, fed))


def _self_attention(attention: SelfAttention, states: Pair, mask: torch.Tensor) -> Pair:
    queries, keys, values = (
        pairs.linear_map(attention.split_heads, pairs.linear(layer, states))
        for layer in (attention.query_layer, attention.key_layer, attention.value_layer)
    )
    scale = 1 / math.sqrt(keys.text.size(-1))

    def attend(*numbers: torch.Tensor) -> Tuple[torch.Tensor, ...]:
        queries, keys, values = Pair(*numbers[:3]), Pair(*numbers[3:6]), Pair(*numbers[6:])
        # Shape: (batch, heads, tokens that attend, tokens attended to)
        scores = pairs.multiply(queries, keys, lambda query, key: query @ key.mT * scale)
        weights = project(attention.projection, scores, mask[:, None, None, :])
        return pairs.multiply(weights, values, torch.matmul).parts

    mixed = Pair(*in_pieces(attend, queries.parts, *keys.parts, *values.parts))
    return pairs.linear(attention.output_layer, pairs.linear_map(attention.merge_heads, mixed))


def _norm(norm: torch.nn.LayerNorm, inputs: Pair) -> Pair:
    centered = pairs.linear_map(lambda values: values - values.mean(dim=-1, keepdim=True), inputs)
    variance = pairs.linear_map(
        lambda squares: squares.mean(dim=-1, keepdim=True),
        pairs.multiply(centered, centered),
        bias=norm.eps,
    )
    gain, shift = norm.weight.detach(), norm.bias.detach()
    normal = pairs.multiply(centered, pairs.rsqrt(variance))
    return pairs.linear_map(lambda values: values * gain, normal, bias=shift)
