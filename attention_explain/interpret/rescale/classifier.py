"""The rules for the whole classifier: embeddings, encoder, attention, decoder."""

from dataclasses import dataclass
from typing import Callable

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder

from attention_explain.interpret.lstm.unrolled import is_lstm, lstm_layers
from attention_explain.interpret.rescale import pairs
from attention_explain.interpret.rescale.attention import (
    attend,
    check_attention,
    check_projection,
    project,
)
from attention_explain.interpret.rescale.lstm import lstm_states
from attention_explain.interpret.rescale.pairs import Pair
from attention_explain.interpret.rescale.transformer import transformer_states
from attention_explain.models import AttentionClassifier
from attention_explain.modules.encoders import AffineEncoder, CnnEncoder, TransformerEncoder
from attention_explain.modules.projections import Softmax

EncoderRules = Callable[[Seq2SeqEncoder, Pair, torch.Tensor], Pair]


@dataclass(frozen=True)
class Contributions:
    """
    of_embeddings : Shape: (batch, tokens, embedding_dim)
    difference : what they sum to: output of the text less output of the baseline. Shape: (batch,)
    """

    of_embeddings: torch.Tensor
    difference: torch.Tensor


def contributions(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    baseline: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
    target: torch.Tensor,
    of: str,
) -> Contributions:
    """
    Multiplier times difference, of each number in the embeddings. Both runs go forward together.
    """
    embeddings, baseline = embeddings.detach(), baseline.detach()
    steps = (embeddings - baseline).requires_grad_()
    inputs = Pair(embeddings, baseline, steps)
    states = encoder_rules(model.encoder)(model.encoder, inputs, mask)
    attention = attend(model.attention, states, attendable)
    context = pairs.multiply(attention, states, _weighted_sum)
    output = pairs.linear(model.decoder, context)
    if of == "probability":
        output = project(Softmax(), output, torch.ones_like(output.text, dtype=torch.bool))
    place = target.unsqueeze(-1)
    (multipliers,) = torch.autograd.grad(output.difference.gather(-1, place).sum(), steps)
    difference = (output.text - output.baseline).gather(-1, place).squeeze(-1)
    return Contributions(multipliers * steps.detach(), difference)


def check_rules(model: AttentionClassifier) -> None:
    """One sentence if some part of the model has no rule."""
    encoder_rules(model.encoder)
    check_attention(model.attention)


def encoder_rules(encoder: Seq2SeqEncoder) -> EncoderRules:
    if is_lstm(encoder):
        lstm_layers(encoder)
        return lstm_states
    if isinstance(encoder, TransformerEncoder):
        for layer in encoder.layers:
            check_projection(layer.self_attention.projection)
        return transformer_states
    if isinstance(encoder, AffineEncoder):
        return _affine_states
    if isinstance(encoder, CnnEncoder):
        return _cnn_states
    raise ConfigurationError(
        f"deeplift has rules for the encoders lstm, affine, cnn and transformer, but this model's "
        f"encoder is a {type(encoder).__name__}"
    )


def _weighted_sum(weights: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """Shape: (batch, tokens), (batch, tokens, dim) -> (batch, dim)"""
    return (weights.unsqueeze(1) @ states).squeeze(1)


def _affine_states(encoder: AffineEncoder, inputs: Pair, mask: torch.Tensor) -> Pair:
    states = pairs.tanh(pairs.linear(encoder.layer, inputs))
    return pairs.linear_map(lambda values: values * mask.unsqueeze(-1), states)


def _cnn_states(encoder: CnnEncoder, inputs: Pair, mask: torch.Tensor) -> Pair:
    mask = mask.unsqueeze(-1)
    windows = pairs.linear_map(
        lambda values: torch.cat(
            [
                torch.nn.functional.conv1d(
                    (values * mask).transpose(1, 2), layer.weight.detach(), padding=layer.padding
                )
                for layer in encoder.convolutions
            ],
            dim=1,
        ),
        inputs,
        bias=torch.cat([layer.bias.detach() for layer in encoder.convolutions]).unsqueeze(-1),
    )
    return pairs.linear_map(lambda values: values.transpose(1, 2) * mask, pairs.relu(windows))
