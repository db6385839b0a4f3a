"""
The rules for attention: scorers are linear layers and tanh; a projection is handled whole.

Softmax, sparsemax and alpha-entmax all have the form p_i = g(z_i - t), where the threshold t is
such that the weights sum to 1. With the secants k_i of g, dp_i = k_i (dz_i - dt), and from
sum_i dp_i = 0 follows dt = sum_i k_i dz_i / sum_i k_i: the rescale rule with an implicit t.
"""

import math
from typing import Optional, Tuple

import torch

from attention_explain.errors import InputError
from attention_explain.interpret.rescale import two_runs
from attention_explain.interpret.rescale.two_runs import TwoRuns
from attention_explain.models.reading import Reading
from attention_explain.modules.projections import (
    Entmax,
    Entmax15,
    Projection,
    Softmax,
    Sparsegen,
    Sparsemax,
)
from attention_explain.modules.query import Query
from attention_explain.modules.token_attention import (
    AdditiveScorer,
    AttentionScorer,
    ScaledDotScorer,
    TokenAttention,
)


def check_attention(attention: TokenAttention) -> None:
    """One sentence if there is no rule for this attention."""
    check_projection(attention.projection)
    if not isinstance(attention.scorer, (AdditiveScorer, ScaledDotScorer, type(None))):
        raise InputError(
            f"deeplift has rules for the scorers additive and scaled_dot, but this model's "
            f"attention has a {type(attention.scorer).__name__}"
        )


def check_projection(projection: Projection) -> None:
    """Raise if DeepLift has no rule for the projection."""
    if projection.uses_scores and _alpha_and_scale(projection) is None:
        raise InputError(
            f"deeplift has rules for the projections softmax, sparsemax, entmax15, entmax, "
            f"sparsegen and uniform, but this model has a {type(projection).__name__}"
        )


def attend(attention: TokenAttention, states: TwoRuns, reading: Reading) -> TwoRuns:
    """Shape: (batch, tokens, state_dim) -> (batch, tokens)"""
    if attention.scorer is None:
        # A projection without scores sees their shape alone.
        scores = two_runs.linear_map(lambda values: values[..., 0], states)
    else:
        scores = score(attention.scorer, states, reading.query)
    return project(attention.projection, scores, reading.attendable)


def score(scorer: AttentionScorer, states: TwoRuns, query: Optional[Query]) -> TwoRuns:
    """Shape: (batch, tokens, state_dim) -> (batch, tokens)"""
    scale = 1.0
    if isinstance(scorer, AdditiveScorer):
        inner = two_runs.linear(scorer.state_layer, states)
        if query is not None:
            # The same in both runs.
            asked = scorer.query_layer(query.state).detach().unsqueeze(1)
            inner = two_runs.linear_map(lambda values: values, inner, asked)
        states = two_runs.tanh(inner)
    else:
        scale = 1 / math.sqrt(scorer.input_dim)
    if isinstance(scorer, ScaledDotScorer) and query is not None:
        vector = query.state.detach().unsqueeze(-1)
        scores = two_runs.linear_map(lambda values: values @ vector, states)
    else:
        scores = two_runs.linear(scorer.weight_layer, states)
    return two_runs.linear_map(lambda values: values.squeeze(-1) * scale, scores)


def project(projection: Projection, scores: TwoRuns, mask: torch.Tensor) -> TwoRuns:
    """Shape: (..., tokens)"""
    with torch.no_grad():
        text, baseline = projection(scores.text, mask), projection(scores.baseline, mask)
    if not projection.uses_scores:
        return TwoRuns(text, baseline, torch.zeros_like(text))
    alpha, scale = _alpha_and_scale(projection)
    step = scale * (scores.text - scores.baseline) - (
        _threshold(scale * scores.text, text, alpha)
        - _threshold(scale * scores.baseline, baseline, alpha)
    )
    slope = (_slope(text, alpha) + _slope(baseline, alpha)) / 2
    secants = two_runs.secant(step, text - baseline, slope).masked_fill(~mask, 0.0)
    difference = scale * scores.difference
    # Secants that are all 0 say that no weight moves: so it is where one token has all the weight in
    # both runs, at scores so large that rounding hides that its own step is 0. Then nothing is
    # handed on, whatever the threshold does.
    total = secants.sum(-1, keepdim=True)
    of_threshold = (secants * difference).sum(-1, keepdim=True) / torch.where(total > 0, total, 1.0)
    return TwoRuns(text, baseline, secants * (difference - of_threshold))


def _alpha_and_scale(projection: Projection) -> Optional[Tuple[float, float]]:
    """Of the alpha-entmax that this is, and what it multiplies the scores with."""
    if isinstance(projection, Softmax):
        return 1.0, 1.0
    if isinstance(projection, Sparsemax):
        return 2.0, 1.0
    if isinstance(projection, Entmax15):
        return 1.5, 1.0
    if isinstance(projection, Entmax):
        return float(torch.as_tensor(projection.alpha).detach()), 1.0
    if isinstance(projection, Sparsegen):
        return 2.0, 1 / (1 - projection.lambda_)
    return None


def _threshold(scores: torch.Tensor, weights: torch.Tensor, alpha: float) -> torch.Tensor:
    """
    t, up to a constant of alpha, from the largest weight, which is never 0: z - g^-1(p) with
    g^-1(p) = (p^(alpha - 1) - 1) / (alpha - 1), or log p at alpha = 1. Shape: (..., 1)
    """
    largest, place = weights.max(dim=-1, keepdim=True)
    inverse = largest.log()
    if alpha != 1:
        inverse = torch.expm1((alpha - 1) * inverse) / (alpha - 1)
    return scores.gather(-1, place) - inverse


def _slope(weights: torch.Tensor, alpha: float) -> torch.Tensor:
    """g' = p^(2 - alpha) on the support, 0 beyond it."""
    return torch.where(weights > 0, weights ** (2 - alpha), 0.0)
