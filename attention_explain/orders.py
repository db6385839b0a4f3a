"""Ranks of tokens by their scores. Ties and random orders are seeded by the id of the text."""

import math
from collections.abc import Sequence

import numpy
import torch

from attention_explain.passes import generator_for

# How scores are ranked: toward the explained class, or by magnitude, ignoring sign.
RANKINGS = ("signed", "size")


def ranked(scores: Sequence[float] | numpy.ndarray, by: str) -> numpy.ndarray:
    """The values used for ranking. Shape: (tokens,)"""
    values = numpy.asarray(scores, dtype=numpy.float64)
    return numpy.abs(values) if by == "size" else values


def ranks(
    scores: Sequence[float] | numpy.ndarray, by: str, seed: int, instance_id: str
) -> numpy.ndarray:
    """
    The rank of each token, 0 for the largest score. Ties are broken at random, seeded by the id of the text: in the
    order of the text, the first words would look important. Equal lists of scores get equal ranks for all
    methods. Shape: (tokens,)
    """
    values = ranked(scores, by)
    noise = torch.rand(len(values), generator=generator_for(seed, instance_id, "ties")).numpy()
    order = numpy.lexsort((noise, -values))
    ranks = numpy.empty(len(values), dtype=numpy.int64)
    ranks[order] = numpy.arange(len(values))
    return ranks


def tied(scores: Sequence[float], by: str) -> float:
    """Fraction of tokens with tied scores."""
    _, which, times = numpy.unique(ranked(scores, by), return_inverse=True, return_counts=True)
    return float((times[which] > 1).mean())


def random_ranks(tokens: int, orders: int, seed: int, instance_id: str) -> numpy.ndarray:
    """
    Ranks of random orders; a larger number of orders begins with the same ones. Shape: (orders, tokens)
    """
    generator = generator_for(seed, instance_id, "random orders")
    drawn = [torch.randperm(tokens, generator=generator) for _ in range(orders)]
    return torch.stack(drawn).numpy()


def share_size(share: float, tokens: int) -> int:
    """The number of tokens in a fraction of the text, rounded half up; at least one."""
    return max(1, math.floor(share * tokens + 0.5))
