"""How the tokens of texts rank by their scores, and inversions counted in many rankings at once."""

from typing import Tuple

import numpy


def ranks_and_ties(
    values: numpy.ndarray, starts: numpy.ndarray
) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """
    For each token how many of its text have a lower score, and how many, itself among them, the
    same one. `starts` has for each token where its text begins. Shape of all: (tokens of all texts,)
    """
    # Two fast sorts, of the scores of all texts and then of whole numbers, take a third of the time
    # of one `lexsort`.
    order = values.argsort()
    among_all = numpy.empty(len(order), dtype=numpy.int64)
    among_all[order] = numpy.cumsum(changes(values[order]))
    key = starts * (len(order) + 1) + among_all
    order = key.argsort()
    begins = changes(key[order])
    ranks, ties = numpy.empty((2, len(order)), dtype=numpy.int64)
    ties[order] = sizes_of_runs(begins)
    ranks[order] = numpy.maximum.accumulate(numpy.arange(len(order)) * begins) - starts
    return ranks, ties


def changes(values: numpy.ndarray) -> numpy.ndarray:
    """Where a value differs from the one before it; the first always does."""
    found = numpy.ones(len(values), dtype=bool)
    numpy.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def sizes_of_runs(begins: numpy.ndarray) -> numpy.ndarray:
    """For each entry the size of the run it is in, from where runs begin."""
    sizes = numpy.diff(numpy.flatnonzero(begins), append=len(begins))
    return numpy.repeat(sizes, sizes)


# Pairs within blocks of 2 ** this many places are compared one by one, which takes less time than
# the levels that would part them.
BLOCK_BITS = 7


def larger_before(places: numpy.ndarray, starts: numpy.ndarray) -> numpy.ndarray:
    """
    `places` lists, text after text, every number from the text's start up to its end once, in some
    order; `starts` has for each entry the start of its text. Gives for each number how many larger
    ones of its text are listed before it.

    Goes down the bits of a number's distance from the start of its text, as in a wavelet tree: the
    entries with the same higher bits stand together in the order in which they were listed, and
    those whose next bit is 0 count the 1s before them. As each number is there once, the entries
    with given higher bits fill just the stretch that begins at the smallest of these numbers.
    """
    longest = int((places - starts).max(initial=0)) + 1
    index = numpy.arange(len(places))
    counts = numpy.zeros(len(places), dtype=numpy.int64)
    for bit in reversed(range(BLOCK_BITS, (longest - 1).bit_length())):
        distance = places - starts
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
        places, counts = _moved(places, moved_to), _moved(counts, moved_to)
    # Blocks stand in order now: a larger number before a smaller one is always of the same block.
    narrow = places.astype(numpy.min_scalar_type(-len(places)))
    near = numpy.zeros(len(places), dtype=numpy.uint8)
    for distance in range(1, min(longest, 1 << BLOCK_BITS)):
        # A bool is added as the byte it is: to convert it would take longer than to compare.
        near[distance:] += (narrow[:-distance] > narrow[distance:]).view(numpy.uint8)
    return _moved(counts + near, places)


def _moved(values: numpy.ndarray, to: numpy.ndarray) -> numpy.ndarray:
    moved = numpy.empty_like(values)
    moved[to] = values
    return moved
