"""
Bootstrap intervals, for what is no mean but made of several: texts are drawn with replacement, once
for all of them. Seeds are not: a few say too little about others, so that the trained models are
taken as they are. Means themselves have `intervals`.
"""

from dataclasses import dataclass
from typing import Iterator

import numpy

# Numbers in one block of a product: 64 MB.
BLOCK = 1 << 23


@dataclass(frozen=True)
class Bootstrap:
    """
    The same seed draws the same texts in every call, so columns of one set of texts can be
    compared draw by draw.

    level : of the intervals, which lie between percentiles of the draws.
    """

    draws: int = 2000
    seed: int = 0
    level: float = 0.95

    def means(self, values: numpy.ndarray) -> numpy.ndarray:
        """
        The mean of each column in each draw of texts; NaN values are left out, and a draw without
        any other value has none itself. Shape: (columns, seeds, texts) -> (draws, columns)
        """
        counts = (~numpy.isnan(values)).sum(axis=1).T.astype(float)
        totals = numpy.nansum(values, axis=1).T
        drawn = [
            (weights @ totals, weights @ counts) for weights in self._text_weights(len(totals))
        ]
        total, count = (numpy.concatenate(parts) for parts in zip(*drawn, strict=True))
        return numpy.divide(total, count, out=numpy.full_like(total, numpy.nan), where=count > 0)

    def between(self, draws: numpy.ndarray) -> numpy.ndarray:
        """
        The percentiles that hold `level` of the draws that have a value.
        Shape: (draws,) -> (2,)
        """
        tail = (1 - self.level) / 2
        known = draws[~numpy.isnan(draws)]
        if not len(known):
            return numpy.full(2, numpy.nan)
        return numpy.quantile(known, [tail, 1 - tail])

    def _text_weights(self, texts: int) -> Iterator[numpy.ndarray]:
        """How often each draw takes each text, in blocks. Shape: (draws of the block, texts)"""
        generator = numpy.random.default_rng([self.seed, 0])
        height = max(1, BLOCK // max(1, texts))
        for start in range(0, self.draws, height):
            yield times_taken(generator, min(height, self.draws - start), texts)


def times_taken(generator: numpy.random.Generator, draws: int, size: int) -> numpy.ndarray:
    """How often each of `size` things is among as many taken with replacement, draw by draw."""
    taken = generator.integers(size, size=(draws, size))
    places = taken + size * numpy.arange(draws)[:, None]
    return numpy.bincount(places.ravel(), minlength=draws * size).reshape(draws, size).astype(float)
