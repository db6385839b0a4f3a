"""Kendall's tau-b and its p-value, of all texts at once."""

from functools import lru_cache

import numpy
from scipy.special import factorial, ndtr

from analysis.measures.measure import CONSTANT, Measure, Values
from analysis.measures.pairs import Pairs
from analysis.measures.scores import Scores

# Up to this many tokens, none of them tied, the p-value is the exact one.
EXACT = 33


@Measure.register("kendall")
class Kendall(Measure):
    """
    tau-b: concordant minus discordant pairs, over the geometric mean of the numbers of pairs that
    each column orders. The p-value is two-sided, exact for texts of up to 33 tokens without ties
    and for longer ones that at most one pair keeps from a tau of 1 or -1; else from the normal
    approximation, corrected for ties (Kendall 1970).
    """

    # To swap the scores that one column gives two tokens which it orders against the other column
    # loses nothing with any third token.
    best_when_sorted = True
    mean_by_chance = 0.0

    def all(self, first: Scores, second: Scores) -> Values:
        pairs = Pairs.of(first, second)
        return Values.but_where(
            {CONSTANT: first.constant | second.constant},
            pairs.tau_b,
            _p_value(first, second, pairs),
        )


def _p_value(first: Scores, second: Scores, pairs: Pairs) -> numpy.ndarray:
    lengths = first.lengths
    from_end = numpy.minimum(pairs.discordant, pairs.total - pairs.discordant)
    untied = (pairs.tied_first == 0) & (pairs.tied_second == 0)
    exact = untied & ((lengths <= EXACT) | (from_end <= 1))
    p_value = numpy.empty(len(lengths))
    p_value[exact] = _exact(lengths[exact], from_end[exact])
    p_value[~exact] = _asymptotic(first, second, pairs)[~exact]
    return p_value


def _exact(lengths: numpy.ndarray, from_end: numpy.ndarray) -> numpy.ndarray:
    """Two-sided: both ends of the distribution of the number of inversions."""
    tails = inversion_tails()
    short = lengths <= EXACT
    tail = numpy.empty(len(lengths))
    tail[short] = tails[lengths[short], from_end[short]]
    # One permutation has no inversion and n - 1 have one: 1 / n! and n / n!.
    tail[~short] = 1 / factorial(lengths[~short] - from_end[~short])
    return numpy.minimum(2 * tail, 1)


@lru_cache(maxsize=1)
def inversion_tails() -> numpy.ndarray:
    """
    The share of the permutations of n that have at most c inversions, up to half of all the pairs.
    Shape: (n: 0 to EXACT, c: 0 to half of EXACT's pairs)
    """
    half = EXACT * (EXACT - 1) // 4
    shares = numpy.zeros((EXACT + 1, half + 1))
    shares[:2, 0] = 1
    for n in range(2, EXACT + 1):
        # The last of n elements makes 0 to n - 1 inversions with those before it.
        shares[n] = numpy.convolve(shares[n - 1], numpy.full(n, 1 / n))[: half + 1]
    return shares.cumsum(axis=1)


def _asymptotic(first: Scores, second: Scores, pairs: Pairs) -> numpy.ndarray:
    n = first.lengths.astype(float)
    triples_first, spread_first = first.tie_terms
    triples_second, spread_second = second.tie_terms
    ordered = n * (n - 1)
    # Two tokens, or one column tied throughout, have no variance: exact or undefined.
    with numpy.errstate(divide="ignore", invalid="ignore"):
        variance = (
            (ordered * (2 * n + 5) - spread_first - spread_second) / 18
            + 2 * pairs.tied_first * pairs.tied_second / ordered
            + triples_first * triples_second / (9 * ordered * (n - 2))
        )
        return 2 * ndtr(-numpy.abs(pairs.balance) / numpy.sqrt(variance))
