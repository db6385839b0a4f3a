"""Distances of top-k lists: as Fagin et al. (2003) define them, and as Neely & Schouten's released code computes them."""

import numpy

from analysis.measures.kendall import Pairs, tied_pairs
from analysis.measures.measure import ALL_ZERO, CONSTANT, Measure, Values, checked_number
from analysis.measures.overlap import TopK
from analysis.measures.scores import Scores


@Measure.register("fagin")
class Fagin(Measure):
    """
    K^(penalty) between two top-k lists, mapped from [0, largest possible] to [1, -1].

    A list holds every token whose score is at least the k-th largest: a tie at the cut comes in
    whole, so a list may be longer than k. Tokens outside a list stand below it, tied. Each pair of
    tokens that are in at least one list costs

        1        if the lists order it oppositely, which they do if each has only one of the two;
        penalty  if it is tied in just one of them, or if both tokens are outside one list and
                 inside the other;
        0        otherwise, so also if both lists have both tokens and tie them.

    The largest possible cost is that of lists of the same two lengths without ties that share as
    few tokens as the text allows, in opposite orders. Thus the same lists give 1, disjoint lists
    -1. With k = n, scores without ties give Kendall's tau; with ties, and penalty 1/2, they give
    the tau_x of Emond and Mason (2002): (concordant - discordant + tied in both) / all pairs.
    """

    top_k: TopK

    def __init__(self, k: int | float | str = "non-zero", penalty: float = 0.5) -> None:
        self.top_k = TopK(k)
        self.penalty = checked_number("penalty", penalty, 0, 1, ends=True)
        # Beyond, opposite orders that tie the same tokens may cost less than like ones that do not.
        self.best_when_sorted = self.penalty <= 0.5

    def all(self, first: Scores, second: Scores) -> Values:
        k = self.top_k.sizes(first, second)
        cut = first.spread(k)
        in_first, in_second = first.higher < cut, second.higher < cut
        with numpy.errstate(divide="ignore", invalid="ignore"):
            score = 1 - 2 * self._cost(first, second, in_first, in_second) / self._largest_cost(
                first.lengths, first.sums(in_first), first.sums(in_second)
            )
        return Values.but_where(
            {ALL_ZERO: k == 0, CONSTANT: first.constant | second.constant}, score
        )

    def _cost(
        self, first: Scores, second: Scores, in_first: numpy.ndarray, in_second: numpy.ndarray
    ) -> numpy.ndarray:
        # The lowest rank in a list is the number of tokens outside it, so 0 is free for these.
        pairs = Pairs.ranked(
            first, numpy.where(in_first, first.ranks, 0), numpy.where(in_second, second.ranks, 0)
        )
        only_first, only_second = in_first & ~in_second, in_second & ~in_first
        tied_in_one = pairs.tied_first + pairs.tied_second - 2 * pairs.tied_both
        tied_in_both_but_outside_one = tied_pairs(first, first.ranks, only_first) + tied_pairs(
            first, second.ranks, only_second
        )
        # A token in one list and one in neither are tied in the other list, but are no pair.
        no_pairs = first.sums(~in_first & ~in_second) * first.sums(in_first != in_second)
        penalised = tied_in_one + tied_in_both_but_outside_one - no_pairs
        return pairs.discordant + self.penalty * penalised

    def _largest_cost(
        self, tokens: numpy.ndarray, in_first: numpy.ndarray, in_second: numpy.ndarray
    ) -> numpy.ndarray:
        common = numpy.maximum(in_first + in_second - tokens, 0)
        only_first, only_second = in_first - common, in_second - common
        return (
            _pairs(common)
            + common * (only_first + only_second)
            + only_first * only_second
            + self.penalty * (_pairs(only_first) + _pairs(only_second))
        )


def _pairs(tokens: numpy.ndarray) -> numpy.ndarray:
    return tokens * (tokens - 1) / 2


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
