"""
The rules for the Transformer (Ali et al. 2022, "XAI for Transformers: Better Explanations through
Conservative Propagation"): self-attention weights are constants, and so is the deviation that a
layer norm divides by; all that is left is linear and follows the epsilon rule.
"""

import torch

from attention_explain.interpret.relevance.epsilon import EpsilonRules
from attention_explain.modules.encoders import TransformerEncoder
from attention_explain.modules.layer_attention import LayerParts, SelfAttentionParts


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
    """Of our own transformer, or of a pretrained one. Shape: (batch, places, hidden)"""
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
