"""
P-values. The sign-flip permutation test: were there no difference, each text's could as well have
the other sign; it tests the mean that tables report, which Wilcoxon's test does not. What it is
for: comparisons on the same texts, of two pairs of methods in one model, or of one pair of methods
in two models. And what is left of the p-values of many tests when the tests are counted.

A text counts in a comparison where both have a value. Differences are averaged over seeds: the
p-value takes the trained models as they are; what other seeds would give is in the interval only.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from analysis.statistics.intervals import Intervals, intervals, intervals_of_sums, mean_of_known

# A p-value up to here is called significant, as in the papers.
ALPHA = 0.05
# Up to this number of texts that differ, all signs are tried.
FEW_TEXTS = 16
# Sums in one block: 64 MB.
BLOCK = 1 << 23


@dataclass(frozen=True)
class SignFlips:
    """
    draws : of random signs, where there are too many texts to try all.
    seed : the same one, and as many texts, give the same signs, whatever else is compared.
    """

    draws: int = 9999
    seed: int = 0

    def p_values(self, differences: numpy.ndarray) -> numpy.ndarray:
        """Two-sided; NaN is no text. Shape: (comparisons, texts) -> (comparisons,)"""
        known = ~numpy.isnan(differences)
        changes = numpy.where(known, differences, 0.0)
        # The sum over random signs is as far out as the observed one with at most this probability
        # (Hoeffding 1963), whatever the differences are.
        squares = (changes**2).sum(axis=1)
        far = numpy.divide(
            changes.sum(axis=1) ** 2, squares, out=numpy.zeros(len(changes)), where=squares > 0
        )
        p_values = 2 * numpy.exp(-far / 2)
        # A difference of 0 is the same with either sign.
        few = (changes != 0).sum(axis=1) <= FEW_TEXTS
        p_values[few] = _exact(changes[few])
        # Where the bound is smaller than any share of draws can be, it stands for the p-value.
        open_ = ~few & (p_values >= 1 / (self.draws + 1))
        p_values[open_] = self._drawn(changes[open_])
        return numpy.where(known.any(axis=1), p_values, numpy.nan)

    def _drawn(self, changes: numpy.ndarray) -> numpy.ndarray:
        """The observed signs are one draw more, so that no p-value is 0."""
        return (_as_far(changes, self._signs(*changes.shape)) + 1) / (self.draws + 1)

    def _signs(self, comparisons: int, texts: int) -> Iterator[numpy.ndarray]:
        """1 and -1, in blocks that do not change them. Shape: (draws of the block, texts)"""
        generator = numpy.random.default_rng(self.seed)
        height = max(1, BLOCK // max(comparisons, texts, 1))
        for start in range(0, self.draws, height):
            size = (min(height, self.draws - start), -(-texts // 64))
            words = generator.integers(1 << 64, size=size, dtype=numpy.uint64).astype("<u8")
            yield 1.0 - 2.0 * numpy.unpackbits(words.view(numpy.uint8), axis=1, count=texts)


def _exact(changes: numpy.ndarray) -> numpy.ndarray:
    """By all signs; those of all texts together change nothing, so the first keeps its own."""
    # Differences that are not 0 come first; the others are not needed.
    order = numpy.argsort(changes == 0, axis=1, kind="stable")[:, :FEW_TEXTS]
    changes = numpy.take_along_axis(changes, order, axis=1)
    free = max(changes.shape[1] - 1, 0)
    numbers = numpy.arange(1 << free)
    signs = numpy.ones((len(numbers), changes.shape[1]))
    signs[:, 1:] -= 2.0 * (numbers[:, None] >> numpy.arange(free) & 1)
    height = max(1, BLOCK // max(len(changes), 1))
    blocks = (signs[start : start + height] for start in range(0, len(signs), height))
    return _as_far(changes, blocks) / len(signs)


def _as_far(changes: numpy.ndarray, blocks: Iterator[numpy.ndarray]) -> numpy.ndarray:
    """How many signs give a sum as large as the observed one, rounding aside."""
    least = numpy.abs(changes.sum(axis=1)) - 1e-12 * numpy.abs(changes).sum(axis=1)
    counted = numpy.zeros(len(changes))
    for signs in blocks:
        counted += (numpy.abs(signs @ changes.T) >= least).sum(axis=0)
    return counted


def paired_in_one_model(
    first: numpy.ndarray, second: numpy.ndarray, flips: SignFlips = SignFlips()
) -> dict[str, numpy.ndarray]:
    """First less second, seed by seed. Shape of both: (comparisons, seeds, texts)"""
    difference = first - second
    both = ~numpy.isnan(difference)
    first, second = (numpy.where(both, values, numpy.nan) for values in (first, second))
    return _described(first, second, intervals(difference), flips)


def paired_across_models(
    first: numpy.ndarray, second: numpy.ndarray, flips: SignFlips = SignFlips()
) -> dict[str, numpy.ndarray]:
    """First less second, unpaired seeds. Shape: (comparisons, seeds of the model, texts)"""
    first, second = _where_both(first, second)
    return _described(first, second, intervals_of_sums([first, -second]), flips)


def difference_columns(
    name: str, first: numpy.ndarray, second: numpy.ndarray, one_model: bool = False
) -> dict[str, float]:
    """First less second as `NAME`, `NAME low`, `NAME high`. Shape: (seeds of the model, texts)"""
    first, second = first[None], second[None]
    if one_model:
        difference = intervals(first - second)
    else:
        first, second = _where_both(first, second)
        difference = intervals_of_sums([first, -second])
    ends = (difference.mean, difference.low, difference.high, difference.df)
    return {f"{name}{end}": float(one[0]) for end, one in zip(("", " low", " high", " df"), ends)}


def _where_both(*models: numpy.ndarray) -> list[numpy.ndarray]:
    """Without the texts that one of the models has no value for."""
    both = numpy.all([(~numpy.isnan(values)).any(axis=1) for values in models], axis=0)
    return [numpy.where(both[:, None], values, numpy.nan) for values in models]


def _described(
    first: numpy.ndarray, second: numpy.ndarray, interval: Intervals, flips: SignFlips
) -> dict[str, numpy.ndarray]:
    """Of values that are there only where both models, or both pairs, have some."""
    first_mean, second_mean = (mean_of_known(values, (1, 2)) for values in (first, second))
    of_texts = mean_of_known(first, 1) - mean_of_known(second, 1)
    return {
        "first mean": first_mean,
        "second mean": second_mean,
        "difference": first_mean - second_mean,
        **interval.columns(),
        "p": flips.p_values(of_texts),
        "texts": (~numpy.isnan(of_texts)).sum(axis=1),
    }


def benjamini_hochberg(p_values: numpy.ndarray) -> numpy.ndarray:
    """Adjusted p-values; NaN is no test and stays. Shape: (..., tests) -> (..., tests)"""
    # What is no test is sorted behind all others, and is never the smaller one.
    order = numpy.argsort(p_values, axis=-1)
    tests = (~numpy.isnan(p_values)).sum(axis=-1, keepdims=True)
    positions = numpy.arange(1, p_values.shape[-1] + 1)
    steps = numpy.take_along_axis(p_values, order, axis=-1) * (tests / positions)
    smallest = numpy.fmin.accumulate(steps[..., ::-1], axis=-1)[..., ::-1]
    adjusted = numpy.empty_like(smallest)
    numpy.put_along_axis(adjusted, order, numpy.minimum(smallest, 1.0), axis=-1)
    return adjusted


def holm(p_values: numpy.ndarray) -> numpy.ndarray:
    """Adjusted p-values of one family; NaN is no test and stays. Shape: (tests,) -> (tests,)"""
    adjusted = numpy.full(p_values.shape, numpy.nan)
    tested = numpy.flatnonzero(~numpy.isnan(p_values))
    order = tested[numpy.argsort(p_values[tested], kind="stable")]
    remaining = len(order) - numpy.arange(len(order))
    steps = numpy.maximum.accumulate(p_values[order] * remaining)
    adjusted[order] = numpy.minimum(steps, 1.0)
    return adjusted


def share_significant(p_values: numpy.ndarray, corrected: bool = False) -> float:
    """
    Of the texts that have a p-value, the share at most `ALPHA`; corrected, after Benjamini and
    Hochberg among the texts of each seed. Shape: (..., texts)
    """
    rows = p_values.reshape(-1, p_values.shape[-1])
    if corrected:
        rows = benjamini_hochberg(rows)
    tested = ~numpy.isnan(rows)
    return float((rows[tested] <= ALPHA).mean()) if tested.any() else numpy.nan
