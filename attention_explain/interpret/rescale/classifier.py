"""The rules for the whole classifier: embeddings, encoder, attention, decoder."""

from dataclasses import dataclass

import torch

from attention_explain.interpret.rescale import two_runs
from attention_explain.interpret.rescale.attention import (
    attend,
    check_attention,
    check_projection,
    project,
)
from attention_explain.interpret.rescale.two_runs import TwoRuns
from attention_explain.models import AttentionClassifier
from attention_explain.modules.encoders.capabilities import RescaleRules, needed
from attention_explain.modules.projections import Projection, Softmax


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
    inputs = TwoRuns(embeddings, baseline, steps)
    states = needed(model.encoder, RescaleRules, "deeplift").rescale_states(inputs, mask, two_runs)
    attention = attend(model.attention, states, attendable)
    context = two_runs.multiply(attention, states, _weighted_sum)
    output = two_runs.linear(model.decoder, context)
    if of == "probability":
        output = project(Softmax(), output, torch.ones_like(output.text, dtype=torch.bool))
    place = target.unsqueeze(-1)
    (multipliers,) = torch.autograd.grad(output.difference.gather(-1, place).sum(), steps)
    difference = (output.text - output.baseline).gather(-1, place).squeeze(-1)
    return Contributions(multipliers * steps.detach(), difference)


def check_rules(model: AttentionClassifier) -> None:
    """One sentence if some part of the model has no rule."""
    needed(model.encoder, RescaleRules, "deeplift")
    check_attention(model.attention)
    for part in model.encoder.modules():
        if isinstance(part, Projection):
            check_projection(part)


def _weighted_sum(weights: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
    """Shape: (batch, tokens), (batch, tokens, dim) -> (batch, dim)"""
    return (weights.unsqueeze(1) @ states).squeeze(1)
