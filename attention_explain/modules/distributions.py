"""Numbers about distributions over the tokens of a text, batched and masked."""

import torch


def entropy(weights: torch.Tensor) -> torch.Tensor:
    """
    Shannon entropy in nats over the last dimension, with 0 log 0 = 0. Shape: (..., n) -> (...)
    """
    return torch.special.entr(weights).sum(dim=-1)


def normalized_entropy(weights: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    Entropy divided by log n, its largest value over n tokens: 1 is uniform, 0 is a single token.
    Undefined (NaN) for a text of one token. Shape: (batch, tokens) -> (batch,)
    """
    tokens = mask.sum(dim=-1)
    value = entropy(weights) / tokens.to(weights.dtype).log()
    return torch.where(tokens > 1, value, torch.nan)


def zero_share(weights: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """
    The share of the tokens that get no weight at all. Shape: (batch, tokens) -> (batch,)
    """
    zeros = (weights == 0) & mask
    return zeros.sum(dim=-1) / mask.sum(dim=-1)


def total_variation(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """
    Half the sum of the absolute differences: for two classes the difference of the probability.
    Shape: (..., n) -> (...)
    """
    return (first - second).abs().sum(dim=-1) / 2


def jensen_shannon(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """
    Divergence in nats, at most log 2, with 0 log 0 = 0. Shape: (..., n) -> (...)
    """
    middle = (first + second) / 2
    # Rounding can make the difference of entropies negative for distributions that are nearly one.
    return (entropy(middle) - (entropy(first) + entropy(second)) / 2).clamp(min=0)
