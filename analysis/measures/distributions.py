"""Distances between two columns of scores taken as distributions over the tokens."""

import numpy
from scipy.special import rel_entr

from analysis.measures.measure import NEGATIVE, ZERO_SUM, Measure, Values
from analysis.measures.scores import Scores


@Measure.register("jsd")
class JensenShannon(Measure):
    """Jensen-Shannon divergence, in nats: 0 for the same distribution, at most log 2."""

    best_when_sorted = True
    least_tokens = 1
    distance = True

    def all(self, first: Scores, second: Scores) -> Values:
        p, q, reasons = _both(first, second)
        mean = (p + q) / 2
        return Values.but_where(reasons, first.sums(rel_entr(p, mean) + rel_entr(q, mean)) / 2)


@Measure.register("tvd")
class TotalVariation(Measure):
    """Total variation distance: half the sum of the absolute differences, at most 1."""

    best_when_sorted = True
    least_tokens = 1
    distance = True

    def all(self, first: Scores, second: Scores) -> Values:
        p, q, reasons = _both(first, second)
        return Values.but_where(reasons, first.sums(numpy.abs(p - q)) / 2)


def as_distribution(scores: Scores) -> tuple[numpy.ndarray, dict[str, numpy.ndarray]]:
    """Scores over their sum, and the texts in which that is no distribution, by reason."""
    negative = scores.sums(scores.values < 0) > 0
    total = scores.sums(scores.values)
    reasons = {NEGATIVE: negative, ZERO_SUM: total == 0}
    usable = ~(negative | (total == 0))
    return scores.values / scores.spread(numpy.where(usable, total, 1)), reasons


def _both(
    first: Scores, second: Scores
) -> tuple[numpy.ndarray, numpy.ndarray, dict[str, numpy.ndarray]]:
    p, why_first = as_distribution(first)
    q, why_second = as_distribution(second)
    return p, q, {reason: why_first[reason] | why_second[reason] for reason in why_first}
