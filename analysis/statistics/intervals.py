"""
Intervals of means over texts, and over seeds where a model has enough of them.

Texts and seeds are crossed: every seed has explained the same texts. The error of the mean has a
part of the seeds, which is known by as many numbers as there are seeds, and a part of the texts.
The first is estimated from the seeds' means, in which what is particular to a text under a seed
has its share already; the second from what the seeds have in common about a text. Student's t
joins them: its degrees of freedom are the harmonic mean of the parts', each weighted by its share
of the variance. Satterthwaite's formula squares the shares, and with 3 seeds covers 92 %.

Fewer than 3 seeds say next to nothing about others. The interval is then one over texts, of the
trained models as they are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy
from scipy.stats import t

LEVEL = 0.95
LEAST_SEEDS = 3
BOTH, TEXTS = "texts and seeds", "texts"
# For captions.
ABOUT_INTERVALS = (
    f"Intervals (95 %) are over texts and seeds; with fewer than {LEAST_SEEDS} seeds, over texts "
    "alone, of the models as they were trained."
)
# Numbers in one block: 16 MB.
BLOCK = 1 << 21


def mean_of_known(values: numpy.ndarray, axis: int | tuple[int, ...]) -> numpy.ndarray:
    """NaN, without a warning, where there is no value."""
    known = (~numpy.isnan(values)).sum(axis=axis)
    total = numpy.nansum(values, axis=axis)
    return numpy.divide(total, known, out=numpy.full(total.shape, numpy.nan), where=known > 0)


def texts_with_values(values: numpy.ndarray) -> numpy.ndarray:
    """Texts that at least one seed has a value for. Shape: (..., seeds, texts) -> (...)"""
    return (~numpy.isnan(values)).any(axis=-2).sum(axis=-1)


@dataclass(frozen=True)
class Intervals:
    """
    Of several means.

    low, high : NaN where fewer than two texts have a value. Shape: (means,)
    over_seeds : whether other seeds are in them, or other texts alone. Shape: (means,)
    df : the degrees of freedom of Student's t; NaN where nothing varies. Shape: (means,)
    """

    mean: numpy.ndarray
    low: numpy.ndarray
    high: numpy.ndarray
    over_seeds: numpy.ndarray
    df: numpy.ndarray

    @property
    def over(self) -> numpy.ndarray:
        """What each interval is over, in words. Shape: (means,)"""
        return numpy.where(self.over_seeds, BOTH, TEXTS)

    def of_shares(self) -> "Intervals":
        """The same where means are shares: no end beyond 0 or 1, where the truth cannot be."""
        low, high = (numpy.clip(end, 0.0, 1.0) for end in (self.low, self.high))
        return replace(self, low=low, high=high)

    def columns(self) -> dict[str, numpy.ndarray]:
        """As tables have them."""
        return {"low": self.low, "high": self.high, "interval over": self.over, "df": self.df}


def intervals(values: numpy.ndarray) -> Intervals:
    """Of the mean of each column; NaN is no value. Shape: (columns, seeds, texts)"""
    return intervals_of_sums([values])


def intervals_of_sums(models: Sequence[numpy.ndarray]) -> Intervals:
    """
    Of the sum of the models' means: of a difference, if one is negative. All are about the same
    texts; the seeds of one have nothing to do with those of another.
    Shape of each: (columns, seeds of the model, texts)
    """
    columns = len(models[0])
    width = max(1, BLOCK // max(1, sum(model[0].size for model in models) if columns else 1))
    blocks = [
        _of_block([model[start : start + width] for model in models])
        for start in range(0, max(columns, 1), width)
    ]
    return Intervals(*(numpy.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _of_block(models: Sequence[numpy.ndarray]) -> tuple:
    parts = [_share(model) for model in models]
    over_seeds = numpy.all([part.seeds >= LEAST_SEEDS for part in parts], axis=0)
    texts = numpy.any([part.has_text for part in parts], axis=0).sum(axis=1)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        again = texts / (texts - 1)
        of_texts = again * (numpy.add.reduce([part.by_text for part in parts]) ** 2).sum(axis=1)
        common = of_texts - again * sum(part.particular for part in parts)
        of_texts = numpy.where(over_seeds, numpy.maximum(common, 0.0), of_texts)
        of_seeds = numpy.where(over_seeds, sum(part.of_seeds for part in parts), 0.0)
        # Welch's, of models with different seeds.
        slack = sum(part.of_seeds**2 / (part.seeds - 1) for part in parts) / of_seeds
        variance = of_texts + of_seeds
        slack = numpy.where(of_seeds > 0, slack, 0.0) + of_texts / (texts - 1)
        df = variance / slack
        half = t.ppf((1 + LEVEL) / 2, df) * numpy.sqrt(variance)
    half = numpy.where(variance > 0, half, 0.0)
    half[texts < 2] = numpy.nan
    mean = sum(part.mean for part in parts)
    return mean, mean - half, mean + half, over_seeds, df


@dataclass(frozen=True)
class _Share:
    """
    What a model has to do with the error of the mean.

    seeds : that have values. Shape: (columns,)
    of_seeds : the variance of the mean for its seeds. Shape: (columns,)
    has_text : which texts have values. Shape: (columns, texts)
    by_text : how far each text moves the mean. Shape: (columns, texts)
    particular : what, of the sum of its squares, is not common to the seeds. Shape: (columns,)
    """

    mean: numpy.ndarray
    seeds: numpy.ndarray
    of_seeds: numpy.ndarray
    has_text: numpy.ndarray
    by_text: numpy.ndarray
    particular: numpy.ndarray


def _share(values: numpy.ndarray) -> _Share:
    known = ~numpy.isnan(values)
    values = numpy.where(known, values, 0.0)
    in_seed, in_text = known.sum(axis=2), known.sum(axis=1)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        number = in_seed.sum(axis=1)
        mean = values.sum(axis=(1, 2)) / number
        seed_means = numpy.where(in_seed > 0, values.sum(axis=2) / in_seed, 0.0)
        seeds = (in_seed > 0).sum(axis=1)
        by_seed = in_seed * (seed_means - mean[:, None]) / number[:, None]
        of_seeds = seeds / (seeds - 1) * (by_seed**2).sum(axis=1)
        cells = numpy.where(known, values - seed_means[:, :, None], 0.0) / number[:, None, None]
        by_text = cells.sum(axis=1)
        squares, of_cells = (by_text**2).sum(axis=1), (cells**2).sum(axis=(1, 2))
        # Products of two seeds' values have in them what is common, and nothing else.
        in_two = (in_text * (in_text - 1)).sum(axis=1)
        common = (squares - of_cells) * (in_text**2).sum(axis=1) / in_two
    particular = numpy.where(in_two > 0, numpy.maximum(squares - common, 0.0), 0.0)
    return _Share(mean, seeds, of_seeds, in_text > 0, by_text, particular)


def prediction_interval(mean: float, std: float, number: int) -> tuple[float, float]:
    """Where one more value falls, from this many with this standard deviation (ddof 1); of fewer than three, unknown."""
    if number < LEAST_SEEDS:
        return math.nan, math.nan
    half = t.ppf((1 + LEVEL) / 2, number - 1) * std * math.sqrt(1 + 1 / number)
    return float(mean - half), float(mean + half)


def student_interval(mean: float, std: float, number: int) -> tuple[float, float]:
    """Of values with this standard deviation (ddof 1); of fewer than three there is none."""
    if number < LEAST_SEEDS:
        return math.nan, math.nan
    half = t.ppf((1 + LEVEL) / 2, number - 1) * std / math.sqrt(number)
    return float(mean - half), float(mean + half)
