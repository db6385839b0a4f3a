"""How the tokens of texts rank by their scores."""

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
