"""Counts inversions in many permutations at once, in n log n and without a loop over them."""

import numpy

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
