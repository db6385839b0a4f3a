"""
Bootstrap intervals of means over texts, and over seeds where a model has several.

Texts and seeds are crossed: every seed has explained the same texts. So a draw takes seeds with
replacement, takes texts with replacement once for all seeds, and weighs a value by how often its
seed and its text were taken (Owen 2007 calls it the pigeonhole bootstrap). Taking other texts in
every seed would count a text that is hard for all of them as several independent ones, and give
an interval that is too narrow.
"""

from dataclasses import dataclass
from typing import Iterator

import numpy

from analysis.statistics.known import texts_with_values

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

    def means(self, values: numpy.ndarray, stream: int = 0) -> numpy.ndarray:
        """
        The mean of each column in each draw; NaN values are left out, and a draw without any
        other value has none itself. Shape: (columns, seeds, texts) -> (draws, columns)

        stream : models with different ones draw their seeds independently of each other.
        """
        columns, seeds, texts = values.shape
        width = max(1, BLOCK // max(1, seeds * texts))
        blocks = [
            self._means(values[start : start + width], stream) for start in range(0, columns, width)
        ]
        return numpy.concatenate(blocks, axis=1) if blocks else numpy.empty((self.draws, 0))

    def intervals(self, values: numpy.ndarray) -> numpy.ndarray:
        """
        Of the mean of each column; unknown for a column with values of fewer than two texts.
        Shape: (columns, seeds, texts) -> (columns, 2)
        """
        found = self.between(self.means(values))
        found[texts_with_values(values) < 2] = numpy.nan
        return found

    def between(self, draws: numpy.ndarray) -> numpy.ndarray:
        """The percentiles that hold `level` of the draws. Shape: (draws, columns) -> (columns, 2)"""
        tail = (1 - self.level) / 2
        missing = numpy.isnan(draws)
        found = numpy.full((draws.shape[1], 2), numpy.nan)
        # Small groups may not be drawn at all; looking out for that is slow.
        for columns, quantile in (
            (~missing.any(axis=0), numpy.quantile),
            (missing.any(axis=0) & ~missing.all(axis=0), numpy.nanquantile),
        ):
            if columns.any():
                found[columns] = quantile(draws[:, columns], [tail, 1 - tail], axis=0).T
        return found

    def _means(self, values: numpy.ndarray, stream: int) -> numpy.ndarray:
        columns, seeds, texts = values.shape
        rows = values.reshape(columns * seeds, texts)
        present = ~numpy.isnan(rows)
        # Most columns miss the same texts, which need counting only once.
        masks, mask_of = numpy.unique(present, axis=0, return_inverse=True)
        factors = numpy.concatenate([numpy.where(present, rows, 0.0), masks]).T
        products = numpy.concatenate([weights @ factors for weights in self._text_weights(texts)])
        sums = products[:, : len(rows)].reshape(self.draws, columns, seeds)
        counts = products[:, len(rows) :][:, mask_of.ravel()].reshape(self.draws, columns, seeds)
        seed_weights = self._seed_weights(seeds, stream)
        total = numpy.einsum("dcs,ds->dc", sums, seed_weights)
        count = numpy.einsum("dcs,ds->dc", counts, seed_weights)
        return numpy.divide(total, count, out=numpy.full_like(total, numpy.nan), where=count > 0)

    def _text_weights(self, texts: int) -> Iterator[numpy.ndarray]:
        """How often each draw takes each text, in blocks. Shape: (draws of the block, texts)"""
        generator = numpy.random.default_rng([self.seed, 0])
        height = max(1, BLOCK // max(1, texts))
        for start in range(0, self.draws, height):
            yield times_taken(generator, min(height, self.draws - start), texts)

    def _seed_weights(self, seeds: int, stream: int) -> numpy.ndarray:
        generator = numpy.random.default_rng([self.seed, 1, stream])
        return times_taken(generator, self.draws, seeds)


def times_taken(generator: numpy.random.Generator, draws: int, size: int) -> numpy.ndarray:
    """How often each of `size` things is among as many taken with replacement, draw by draw."""
    taken = generator.integers(size, size=(draws, size))
    places = taken + size * numpy.arange(draws)[:, None]
    return numpy.bincount(places.ravel(), minlength=draws * size).reshape(draws, size).astype(float)
