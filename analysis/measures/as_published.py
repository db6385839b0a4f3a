"""
The top-k Kendall score behind the tables of Jain and Wallace (2019) and of Neely and Schouten
(2020), error and all: there to reproduce the tables. `fagin` is the measure that was meant.
"""

import numpy

from analysis.measures.kendall import Pairs
from analysis.measures.measure import ALL_ZERO, Measure, Values, checked_number
from analysis.measures.overlap import TopK
from analysis.measures.scores import Scores


@Measure.register("as-published")
class AsPublished(Measure):
    """
    1 - 2K / (tokens in either list)^2, where K adds up

        z^2 (1 - tau-b) / 2 over the z tokens common to both lists, 0 if that tau is undefined;
        1 for each token in one list only that stands there above a common token;
        penalty for each pair of tokens in one list only, the same one.

    A list has exactly k tokens, of those tied at the cut the earlier ones (the published code takes
    any). The pairs of a token only in the one list with a token only in the other are forgotten:
    they ought to cost 1. So disjoint lists of 1, 2 and 5 tokens score 1, .875 and .8, and what is
    in the same order may score less: it has no ceiling.
    """

    top_k: TopK

    def __init__(self, k: int | float | str = "non-zero", penalty: float = 0.5) -> None:
        self.top_k = TopK(k)
        self.penalty = checked_number("penalty", penalty, 0, 1, ends=True)

    def all(self, first: Scores, second: Scores) -> Values:
        k = self.top_k.sizes(first, second)
        in_first, in_second = _top(first, k), _top(second, k)
        common = in_first & in_second
        shared = first.sums(common)
        tau = Pairs.of(first.only_tokens(common), second.only_tokens(common)).tau_b
        cost = (
            numpy.nan_to_num(shared**2 * (1 - tau) / 2)
            + _overtaken(first, common, in_first & ~common)
            + _overtaken(second, common, in_second & ~common)
            + self.penalty * (k - shared) * (k - shared - 1)
        )
        with numpy.errstate(invalid="ignore"):
            score = 1 - 2 * cost / (2 * k - shared) ** 2
        return Values.but_where({ALL_ZERO: k == 0}, score)


def _top(scores: Scores, k: numpy.ndarray) -> numpy.ndarray:
    """True for exactly k tokens a text. Shape: (tokens of all texts,)"""
    groups = scores.starts + scores.ranks
    order = groups.argsort(kind="stable")
    earlier_tied = numpy.empty_like(order)
    earlier_tied[order] = numpy.arange(len(order)) - groups[order]
    return scores.higher + earlier_tied < scores.spread(k)


def _overtaken(scores: Scores, common: numpy.ndarray, alone: numpy.ndarray) -> numpy.ndarray:
    """Pairs of a common token with one that is alone and has a higher score. Shape: (texts,)"""
    starts = scores.starts
    groups = starts + scores.ranks
    counts = numpy.bincount(groups[common], minlength=len(groups))
    lower = counts.cumsum() - counts
    return scores.sums(numpy.where(alone, lower[groups] - lower[starts], 0))
