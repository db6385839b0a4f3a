"""The rules for a whole classifier, from the embeddings to its logits."""

from dataclasses import dataclass
from typing import Optional, Union

import torch

from attention_explain.interpret.rescale import two_runs
from attention_explain.interpret.rescale.attention import (
    attend,
    check_attention,
    check_projection,
    project,
)
from attention_explain.interpret.rescale.pretrained import pretrained_logits
from attention_explain.interpret.rescale.two_runs import TwoRuns
from attention_explain.models import AttentionClassifier, TransformerClassifier
from attention_explain.models.reading import Reading
from attention_explain.modules.encoders.capabilities import RescaleRules, needed
from attention_explain.modules.pair_decoder import PairDecoder
from attention_explain.modules.projections import Projection, Softmax
from attention_explain.modules.query import Query
from attention_explain.modules.token_attention import LinearDecoder


@dataclass(frozen=True)
class Contributions:
    """
    of_embeddings : Shape: (batch, places, embedding_dim)
    difference : what they sum to: output of the text less output of the baseline. Shape: (batch,)
    """

    of_embeddings: torch.Tensor
    difference: torch.Tensor


def contributions(
    model: Union[AttentionClassifier, TransformerClassifier],
    embeddings: torch.Tensor,
    baseline: torch.Tensor,
    reading: Reading,
    target: torch.Tensor,
    of: str,
) -> Contributions:
    """
    Multiplier times difference, of each number in the embeddings. Both runs go forward together.
    """
    embeddings, baseline = embeddings.detach(), baseline.detach()
    steps = (embeddings - baseline).requires_grad_()
    inputs = TwoRuns(embeddings, baseline, steps)
    if isinstance(model, TransformerClassifier):
        output = pretrained_logits(model.family, inputs, reading.mask)
    else:
        output = _logits(model, inputs, reading)
    if of == "probability":
        among = torch.ones_like(output.text, dtype=torch.bool)
        if reading.query is not None and reading.query.candidates is not None:
            among = reading.query.candidates
        output = project(Softmax(), output, among)
    place = target.unsqueeze(-1)
    (multipliers,) = torch.autograd.grad(output.difference.gather(-1, place).sum(), steps)
    difference = (output.text - output.baseline).gather(-1, place).squeeze(-1)
    return Contributions(multipliers * steps.detach(), difference)


def _logits(model: AttentionClassifier, inputs: TwoRuns, reading: Reading) -> TwoRuns:
    """Encoder, attention, decoder. Shape: (batch, tokens, embedding_dim) -> (batch, labels)"""
    encoder = needed(model.encoder, RescaleRules, "deeplift")
    states = encoder.rescale_states(inputs, reading.mask, two_runs)
    attention = attend(model.attention, states, reading)
    context = two_runs.multiply(attention, states, _weighted_sum)
    return _decoded(model.decoder, context, reading.query)


def _decoded(
    decoder: Union[LinearDecoder, PairDecoder], context: TwoRuns, query: Optional[Query]
) -> TwoRuns:
    """Shape: (batch, state_dim) -> (batch, labels)"""
    if query is None:
        return two_runs.linear(decoder, context)
    votes = two_runs.linear(decoder.state_layer, context)
    # The query is the same in both runs.
    asked = two_runs.linear_map(lambda values: values, votes, decoder.asked(query).detach())
    return two_runs.linear(decoder.output_layer, two_runs.tanh(asked))


def check_rules(model: Union[AttentionClassifier, TransformerClassifier]) -> None:
    """One sentence if some part of the model has no rule."""
    if isinstance(model, TransformerClassifier):
        return
    needed(model.encoder, RescaleRules, "deeplift")
    check_attention(model.attention)
    for part in model.encoder.modules():
        if isinstance(part, Projection):
            check_projection(part)


def _weighted_sum(weights: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """Shape: (batch, tokens), (batch, tokens, dim) -> (batch, dim)"""
    return (weights.unsqueeze(1) @ states).squeeze(1)
