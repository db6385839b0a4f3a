"""Correlations of scores: Pearson, Spearman and the weighted tau."""

import numpy
from scipy.special import betainc

from analysis.measures.kendall import Ordered
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


@Measure.register("weighted-tau")
class WeightedTau(Measure):
    """
    Vigna's (2015) additive hyperbolic tau: a pair weighs 1 / a + 1 / b if its tokens stand a-th and
    b-th from the top. The mean of the tau with tokens in the order of the first column, ties broken
    by the second, and of the tau the other way round.
    """

    # Not proved, but tried: all patterns of ties of up to six tokens, in all orders.
    best_when_sorted = True

    def all(self, first: Scores, second: Scores) -> Values:
        ordered = Ordered.by(first, first.ranks, second.ranks)
        by_first = numpy.arange(len(first.values))
        by_second = numpy.empty_like(by_first)
        by_second[ordered.by_second] = by_first
        # Tokens above with a lower second rank; those below with a higher one then follow from its
        # two positions.
        discordant = 2 * ordered.before + by_first - by_second
        ties = [
            numpy.bincount(first.starts + ranks, minlength=len(by_first))[first.starts + ranks] - 1
            for ranks in (ordered.first, ordered.second)
        ]
        tied_both = ordered.tied_both - 1
        others = first.spread(first.lengths) - 1
        ends = first.spread(first.offsets[1:])
        total = numpy.zeros(len(first))
        for position in (by_first, by_second):
            weights = 1 / (ends - position)
            # A sum over pairs of both tokens' weights is one over tokens, times their pairs.
            untied = [first.sums(weights * (others - tied)) for tied in ties]
            balance = others - ties[0] - ties[1] + tied_both - 2 * discordant
            with numpy.errstate(divide="ignore", invalid="ignore"):
                tau = first.sums(weights * balance) / numpy.sqrt(untied[0]) / numpy.sqrt(untied[1])
            total += tau.clip(-1, 1)
        return Values.but_where({CONSTANT: first.constant | second.constant}, total / 2)
