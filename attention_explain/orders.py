"""From scores to orders of tokens, the most important first; ties and chance are seeded by the id."""

import math
from typing import Sequence

import numpy
import torch

from attention_explain.passes import generator_for

# How scores are ranked: toward the explained class, or by size whatever their sign.
RANKINGS = ("signed", "size")


def ranked(scores: Sequence[float], by: str) -> numpy.ndarray:
    """What counts of scores. Shape: (tokens,)"""
    values = numpy.asarray(scores, dtype=numpy.float64)
    return numpy.abs(values) if by == "size" else values


def ranks(scores: Sequence[float], by: str, seed: int, instance_id: str) -> numpy.ndarray:
    """
    The place of each token in the order of the scores, 0 for the largest. Equal scores are put in an
    order that is drawn for the text: by their position, the first words would be called important.
    Equal lists of scores get equal orders, whatever method they are from. Shape: (tokens,)
    """
    values = ranked(scores, by)
    chance = torch.rand(len(values), generator=generator_for(seed, instance_id, "ties")).numpy()
    order = numpy.lexsort((chance, -values))
    places = numpy.empty(len(values), dtype=numpy.int64)
    places[order] = numpy.arange(len(values))
    return places


def tied(scores: Sequence[float], by: str) -> float:
    """The share of tokens whose score another one has, too."""
    _, which, times = numpy.unique(ranked(scores, by), return_inverse=True, return_counts=True)
    return float((times[which] > 1).mean())


def random_ranks(tokens: int, orders: int, seed: int, instance_id: str) -> numpy.ndarray:
    """
    As many orders by chance; the first ones are the same, however many there are.
    Shape: (orders, tokens)
    """
    generator = generator_for(seed, instance_id, "random orders")
    drawn = [torch.randperm(tokens, generator=generator) for _ in range(orders)]
    return torch.stack(drawn).numpy()


def share_size(share: float, tokens: int) -> int:
    """How many tokens a share of them is: the nearest number, of two the larger; at least one."""
    return max(1, math.floor(share * tokens + 0.5))
