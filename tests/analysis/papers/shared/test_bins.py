"""Texts by their largest weight."""

import numpy

from analysis.papers.shared.per_text import NAMES, bin_texts


def test_a_largest_weight_is_in_the_bin_that_begins_with_it():
    weights = numpy.array([[0.0, 0.2499, 0.25, 0.5, 0.75, 1.0, 1.0000001, numpy.nan]])
    found = bin_texts(weights)
    positions = [[name for name in NAMES if found[name][0, text]] for text in range(8)]
    assert positions == [
        ["[0, .25)"],
        ["[0, .25)"],
        ["[.25, .5)"],
        ["[.5, .75)"],
        ["[.75, 1]"],
        ["[.75, 1]"],
        ["[.75, 1]"],
        [],
    ]
