"""
How the pairs of tokens of each text stand in two rankings, which is what the Kendall family counts;
and Kendall's tau-b with its p-value, of all texts at once.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy
from scipy.special import factorial, ndtr

from analysis.measures.measure import CONSTANT, Measure, Values
from analysis.measures.scores import Scores, changes, sizes_of_runs

# Up to this many tokens, none of them tied, the p-value is the exact one.
EXACT = 33
# Pairs within blocks of 2 ** this many positions are compared one by one, which takes less time than
# the levels that would part them.
BLOCK_BITS = 7


@dataclass(frozen=True)
class Ordered:
    """
    The tokens of each text by their first rank and, where that ties, by the second. A rank is the
    number of tokens of the text that stand lower. Shape of all: (tokens of all texts,)

    ranks : both ranks of the token that stands there, as one number; see `first` and `second`.
    by_second : the positions in this order, listed by second rank and, where that ties, by first.
    before : how many tokens with a higher first rank have a lower second one.
    """

    texts: Scores
    ranks: numpy.ndarray
    by_second: numpy.ndarray
    before: numpy.ndarray

    @classmethod
    def by(cls, texts: Scores, first: numpy.ndarray, second: numpy.ndarray) -> "Ordered":
        """The tokens of each text, sorted by both columns of scores."""
        bits = len(texts.starts).bit_length()
        counts = numpy.empty((3, len(texts.starts)), dtype=numpy.int64)
        for part in texts.parts():
            counts[:, part] = _ordered(part, texts.starts[part], first[part], second[part], bits)
        return cls(texts, *counts)

    @property
    def first(self) -> numpy.ndarray:
        """The ranks by the first column of scores."""
        return (self.ranks >> len(self.ranks).bit_length()) - self.texts.starts

    @property
    def second(self) -> numpy.ndarray:
        """The ranks by the second column of scores."""
        return self.ranks & ((1 << len(self.ranks).bit_length()) - 1)

    @property
    def tied_both(self) -> numpy.ndarray:
        """How many tokens, itself among them, have the same two ranks."""
        return sizes_of_runs(changes(self.ranks))


@dataclass(frozen=True)
class Pairs:
    """
    Numbers of pairs of tokens. Shape of each: (texts,)

    discordant : ordered one way by the first ranking and the other way by the second.
    """

    total: numpy.ndarray
    discordant: numpy.ndarray
    tied_first: numpy.ndarray
    tied_second: numpy.ndarray
    tied_both: numpy.ndarray

    @classmethod
    def of(cls, first: Scores, second: Scores) -> "Pairs":
        """In the rankings by two columns of scores."""
        tied = first.tied_pairs, second.tied_pairs
        return cls._counted(Ordered.by(first, first.ranks, second.ranks), *tied)

    @classmethod
    def ranked(cls, texts: Scores, first: numpy.ndarray, second: numpy.ndarray) -> "Pairs":
        """In two rankings, as `Ordered` takes them."""
        tied = tied_pairs(texts, first), tied_pairs(texts, second)
        return cls._counted(Ordered.by(texts, first, second), *tied)

    @classmethod
    def _counted(
        cls, ordered: Ordered, tied_first: numpy.ndarray, tied_second: numpy.ndarray
    ) -> "Pairs":
        texts = ordered.texts
        return cls(
            total=texts.lengths * (texts.lengths - 1) // 2,
            discordant=texts.sums(ordered.before),
            tied_first=tied_first,
            tied_second=tied_second,
            tied_both=texts.sums(ordered.tied_both - 1) // 2,
        )

    @property
    def balance(self) -> numpy.ndarray:
        """Concordant minus discordant pairs."""
        ordered = self.total - self.tied_first - self.tied_second + self.tied_both
        return ordered - 2 * self.discordant

    @property
    def tau_b(self) -> numpy.ndarray:
        """NaN where one of the rankings is one tie."""
        untied_first, untied_second = self.total - self.tied_first, self.total - self.tied_second
        with numpy.errstate(invalid="ignore"):
            tau = self.balance / numpy.sqrt(untied_first) / numpy.sqrt(untied_second)
        return tau.clip(-1, 1)


def tied_pairs(
    texts: Scores, ranks: numpy.ndarray, where: numpy.ndarray | None = None
) -> numpy.ndarray:
    """Pairs of tokens with the same rank, if need be only of tokens in `where`. Shape: (texts,)"""
    groups = texts.starts + ranks
    sizes = numpy.bincount(groups if where is None else groups[where], minlength=len(groups))
    return texts.sums(sizes * (sizes - 1) // 2)


def _ordered(
    part: slice, starts: numpy.ndarray, first: numpy.ndarray, second: numpy.ndarray, bits: int
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """`ranks`, `by_second` and `before` of `Ordered`, for the tokens in `part`."""
    lower = (1 << bits) - 1
    # To sort numbers takes less than half the time of finding the order that sorts them, so what
    # has to move along is in the lower bits.
    ranks = numpy.sort((starts + first) << bits | second)
    positions = numpy.arange(part.start, part.stop)
    by_second = numpy.sort((starts + (ranks & lower)) << bits | positions) & lower
    before = larger_before(by_second - part.start, starts - part.start)
    return ranks, by_second, before


def larger_before(positions: numpy.ndarray, starts: numpy.ndarray) -> numpy.ndarray:
    """
    `positions` lists, text after text, every number from the text's start up to its end once, in some
    order; `starts` has for each entry the start of its text. Gives for each number how many larger
    ones of its text are listed before it.

    Goes down the bits of a number's distance from the start of its text, as in a wavelet tree: the
    entries with the same higher bits stand together in the order in which they were listed, and
    those whose next bit is 0 count the 1s before them. As each number is there once, the entries
    with given higher bits fill just the stretch that begins at the smallest of these numbers.
    """
    longest = int((positions - starts).max(initial=0)) + 1
    index = numpy.arange(len(positions))
    counts = numpy.zeros(len(positions), dtype=numpy.int64)
    for bit in reversed(range(BLOCK_BITS, (longest - 1).bit_length())):
        distance = positions - starts
        stretch = starts + (distance & -(2 << bit))
        is_one = (distance >> bit) & 1
        ones = is_one.cumsum() - is_one
        ones_before = ones - ones[stretch]
        # A 0 moves past the 1s before it, a 1 past all 0s of the stretch. Products, as `where` is
        # slow on a mask that looks random.
        counts += (1 - is_one) * ones_before
        zero_to = index - ones_before
        one_to = stretch + (1 << bit) + ones_before
        moved_to = zero_to + is_one * (one_to - zero_to)
        positions, counts = _moved(positions, moved_to), _moved(counts, moved_to)
    # Blocks stand in order now: a larger number before a smaller one is always of the same block.
    narrow = positions.astype(numpy.min_scalar_type(-len(positions)))
    near = numpy.zeros(len(positions), dtype=numpy.uint8)
    for distance in range(1, min(longest, 1 << BLOCK_BITS)):
        # A bool is added as the byte it is: to convert it would take longer than to compare.
        near[distance:] += (narrow[:-distance] > narrow[distance:]).view(numpy.uint8)
    return _moved(counts + near, positions)


def _moved(values: numpy.ndarray, to: numpy.ndarray) -> numpy.ndarray:
    moved = numpy.empty_like(values)
    moved[to] = values
    return moved


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
