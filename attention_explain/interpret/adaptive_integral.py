"""
The mean over [0, 1] of a function of each text, with as many evaluations as that text needs.

The Clenshaw-Curtis rules with 4, 8, 16, ... intervals have nested places: each uses all that was
evaluated for the one before, which also tells how far it has moved. No text feels another.
"""

import math
from typing import Callable, Tuple

import torch

# Of the path, at first and at most.
FEWEST, MOST = 4, 256

# From texts and places to the function there. Shape: (rows,), (places,) -> (places, rows, tokens)
Integrand = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def integrate(
    integrand: Integrand, total: torch.Tensor, goal: float, rounding: float
) -> Tuple[torch.Tensor, torch.Tensor]:
    """
    The intervals of a text are halved until the sum of its integrals is as near to its `total`, and
    the integrals together have moved as little, as `goal` (a share of |total|, and of the sum of
    their magnitudes) and `rounding` allow; or until there are `MOST`.

    # Parameters

    total : `torch.Tensor`
        What the integrals of a text are known to sum to. Shape: (batch,)

    # Returns

    integrals : `torch.Tensor`
        Shape: (batch, tokens)
    evaluations : `torch.Tensor`
        Of each text. Shape: (batch,)
    """
    rows = torch.arange(len(total), device=total.device)
    values = integrand(rows, places(FEWEST))
    before = _weighted(values, FEWEST)
    integrals = before.clone()
    evaluations = torch.full_like(rows, FEWEST + 1, dtype=torch.int)
    intervals = FEWEST
    while len(rows) and intervals < MOST:
        intervals *= 2
        between = integrand(rows, places(intervals)[1::2])
        # Old and new places take turns, an old one first and last.
        values = torch.cat([torch.stack([values[:-1], between], dim=1).flatten(0, 1), values[-1:]])
        now = _weighted(values, intervals)
        integrals[rows] = now
        evaluations[rows] = intervals + 1
        missed = (now.sum(dim=-1) - total[rows]).abs()
        moved = (now - before).abs().sum(dim=-1)
        unfinished = (missed > goal * total[rows].abs() + rounding) | (
            moved > goal * now.abs().sum(dim=-1) + rounding
        )
        # The host waits here, once for each halving.
        left = unfinished.nonzero().squeeze(-1)
        rows, values, before = rows[left], values[:, left], now[left]
    return integrals, evaluations


def places(intervals: int) -> torch.Tensor:
    """On [0, 1], both ends among them; twice as many intervals keep them. Shape: (intervals + 1,)"""
    angles = torch.arange(intervals + 1, dtype=torch.double) * (math.pi / intervals)
    return (1 - angles.cos()) / 2


def weights(intervals: int) -> torch.Tensor:
    """
    Of the values at those places, for an even number of intervals; they sum to 1. What integrates
    the cosine series through the values exactly (Clenshaw & Curtis 1960).
    """
    places_ = torch.arange(intervals + 1, dtype=torch.double)
    terms = torch.arange(1, intervals // 2 + 1, dtype=torch.double)
    share = torch.where(terms < intervals / 2, 2.0, 1.0) / (4 * terms**2 - 1)
    cosines = (2 * math.pi / intervals * torch.outer(places_, terms)).cos()
    of_places = (1 - cosines @ share) / intervals
    of_places[[0, -1]] /= 2
    return of_places


def _weighted(values: torch.Tensor, intervals: int) -> torch.Tensor:
    """Shape: (places, rows, tokens) -> (rows, tokens)"""
    return torch.einsum("p,prt->rt", weights(intervals).to(values), values)
