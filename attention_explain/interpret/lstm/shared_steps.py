"""
Which steps of an RNN several positions of a text can take together.

Erasing token t changes the states that are read after t; the gradient of state t reaches the tokens
that were read before it. Either way position t starts its own run at t and ends at one end of the
text, and at step s all positions that have started take the same step: one matrix product.
"""

from typing import Iterator, Tuple

import torch

# Rows of one product: many enough for a fast one, few enough to stay in a processor's cache.
ROWS_IN_CACHE = 1024


def groups(positions: range, batch: torch.Tensor) -> Iterator[range]:
    """
    The positions, as many at a time as should share their steps for so large a batch.
    Shape of batch: (tokens, batch, dim)
    """
    tokens, texts, _ = batch.shape
    # Elsewhere than on a CPU larger products are always better.
    together = max(1, ROWS_IN_CACHE // texts) if batch.device.type == "cpu" else tokens
    for first in range(positions.start, positions.stop, together):
        yield range(first, min(first + together, positions.stop))


def steps(group: range, tokens: int, towards_start: bool) -> Iterator[Tuple[int, slice]]:
    """
    Every step s away from the group, towards one end of the text, and the positions of the group
    that have started before s.
    """
    if towards_start:
        for step in reversed(range(group.stop - 1)):
            yield step, slice(max(step + 1, group.start), group.stop)
    else:
        for step in range(group.start + 1, tokens):
            yield step, slice(group.start, min(step, group.stop))
