"""The best order that can be made of token sets: a chain of sets, each within the next."""

from typing import Sequence

import numpy


def best_chain(sets: Sequence[numpy.ndarray], gains: Sequence[numpy.ndarray]) -> float:
    """
    The largest sum of gains over a chain that takes one set of each size, by dynamic programming
    over the sizes. There must be one chain at least. NaN if any gain is.

    # Parameters

    sets : `Sequence[numpy.ndarray]`
        Of each size, rising. Shape: (sets, tokens), bool
    gains : `Sequence[numpy.ndarray]`
        Shape: (sets,) each
    """
    total = gains[0]
    for smaller, larger, gain in zip(sets, sets[1:], gains[1:]):
        # A set is within another if none of its tokens is outside of it; the sum of floats is
        # exact. Shape: (smaller sets, larger sets)
        outside = smaller.astype(numpy.float32) @ (~larger).astype(numpy.float32).T
        before = numpy.where(outside == 0, total[:, None], -numpy.inf).max(axis=0)
        total = before + gain
    return float(total.max())
