"""Pearson's and Spearman's correlation, with their p-values."""

import numpy
from scipy.special import betainc

from analysis.measures.measure import CONSTANT, Measure, Values
from analysis.measures.scores import Scores


@Measure.register("pearson")
class Pearson(Measure):
    """The correlation of the scores. Two-sided p-value, for normally distributed scores."""

    best_when_sorted = True
    mean_by_chance = 0.0

    def all(self, first: Scores, second: Scores) -> Values:
        return _correlation(first, second, first.values, second.values)


@Measure.register("spearman")
class Spearman(Measure):
    """The correlation of the ranks, of tied tokens the mean of theirs. p-value as of `pearson`."""

    best_when_sorted = True
    mean_by_chance = 0.0

    def all(self, first: Scores, second: Scores) -> Values:
        mean_ranks = (column.ranks + (column.ties - 1) / 2 for column in (first, second))
        return _correlation(first, second, *mean_ranks)


def _correlation(
    first: Scores, second: Scores, of_first: numpy.ndarray, of_second: numpy.ndarray
) -> Values:
    x, y = _standardised(first, of_first), _standardised(first, of_second)
    r = first.sums(x * y).clip(-1, 1)
    # Without correlation (1 - r) / 2 has a beta distribution; it has none for two tokens, whose r
    # is 1 or -1 whatever they are.
    half_freedom = first.lengths / 2 - 1
    tail = betainc(half_freedom, half_freedom, (1 - numpy.abs(r)) / 2)
    p_value = numpy.where(first.lengths == 2, 1, 2 * tail)
    return Values.but_where({CONSTANT: first.constant | second.constant}, r, p_value)


def _standardised(texts: Scores, values: numpy.ndarray) -> numpy.ndarray:
    """With mean 0 and sum of squares 1 in each text; NaN where all are the same."""
    with numpy.errstate(divide="ignore", invalid="ignore"):
        values = values - texts.spread(texts.sums(values) / texts.lengths)
        # Squares of small numbers would be 0.
        values = values / texts.spread(texts.largest(numpy.abs(values)))
        return values / texts.spread(numpy.sqrt(texts.sums(values**2)))
