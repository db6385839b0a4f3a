"""The rules for the whole classifier: decoder, attention, encoder, down to the embeddings."""

from dataclasses import dataclass
from typing import Callable

import torch
from allennlp.common.checks import ConfigurationError
from allennlp.modules import Seq2SeqEncoder

from attention_explain.interpret.lstm.unrolled import is_lstm, lstm_layers
from attention_explain.interpret.relevance.epsilon import EpsilonRules
from attention_explain.interpret.relevance.lstm import lstm_states
from attention_explain.interpret.relevance.transformer import transformer_states
from attention_explain.models import AttentionClassifier
from attention_explain.modules.encoders import AffineEncoder, CnnEncoder, TransformerEncoder

EncoderRules = Callable[[Seq2SeqEncoder, torch.Tensor, torch.Tensor, EpsilonRules], torch.Tensor]


@dataclass(frozen=True)
class Relevance:
    """
    of_embeddings : Shape: (batch, tokens, embedding_dim)
    absorbed : what went to biases and stabilisers. Shape: (batch,)
    output : the logit whose relevance was propagated. Shape: (batch,)
    """

    of_embeddings: torch.Tensor
    absorbed: torch.Tensor
    output: torch.Tensor


def propagate(
    model: AttentionClassifier,
    embeddings: torch.Tensor,
    mask: torch.Tensor,
    attendable: torch.Tensor,
    target: torch.Tensor,
    epsilon: float,
) -> Relevance:
    """
    One forward pass, and one backward that starts from the logit of the target class.
    """
    embeddings = embeddings.detach().requires_grad_()
    absorbed = embeddings.new_zeros(len(embeddings), requires_grad=True)
    rules = EpsilonRules(epsilon, absorbed)
    states = encoder_rules(model.encoder)(model.encoder, embeddings, mask, rules)
    with torch.no_grad():
        # Shape: (batch, 1, tokens)
        attention = model.attend(states, attendable).unsqueeze(1)
    logits = rules.linear(model.decoder, rules.mix(attention, states).squeeze(1))
    output = logits.gather(-1, target.unsqueeze(-1))
    of_embeddings, of_biases = torch.autograd.grad(output, (embeddings, absorbed), output.detach())
    return Relevance(of_embeddings, of_biases, output.detach().squeeze(-1))


def encoder_rules(encoder: Seq2SeqEncoder) -> EncoderRules:
    """The rules for this encoder, or one sentence if there are none."""
    if is_lstm(encoder):
        lstm_layers(encoder)
        return lstm_states
    for known, rules in _RULES.items():
        if isinstance(encoder, known):
            return rules
    raise ConfigurationError(
        f"lrp has rules for the encoders lstm, affine, cnn and transformer, but this model's "
        f"encoder is a {type(encoder).__name__}"
    )


def _affine_states(
    encoder: AffineEncoder, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    states = rules.elementwise(encoder.activation, rules.linear(encoder.layer, inputs))
    return states * mask.unsqueeze(-1)


def _cnn_states(
    encoder: CnnEncoder, inputs: torch.Tensor, mask: torch.Tensor, rules: EpsilonRules
) -> torch.Tensor:
    mask = mask.unsqueeze(-1)
    channels_first = (inputs * mask).transpose(1, 2)
    windows = [
        rules.linear_map(
            lambda values, layer=layer: torch.nn.functional.conv1d(
                values, layer.weight, padding=layer.padding
            ),
            channels_first,
            bias=layer.bias.detach().unsqueeze(-1),
        )
        for layer in encoder.convolutions
    ]
    states = rules.elementwise(encoder.activation, torch.cat(windows, dim=1))
    return states.transpose(1, 2) * mask


_RULES = {
    AffineEncoder: _affine_states,
    CnnEncoder: _cnn_states,
    TransformerEncoder: transformer_states,
}
