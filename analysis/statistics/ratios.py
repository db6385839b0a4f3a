"""
Ratios of two means over the same texts and seeds, with intervals: where a method stands between
chance and the best possible is the mean of what it gains over the mean of what could be gained.

The mean of the texts' own ratios would be ruled by texts in which next to nothing could be gained.
The interval is the delta method's: as far as its denominator is known, a ratio r of a and b varies
as the mean of (a - r b) / mean(b) does, and for means there is `intervals`.
"""

import numpy

from analysis.statistics.intervals import Intervals, intervals


def ratio_intervals(above: numpy.ndarray, below: numpy.ndarray) -> Intervals:
    """
    Of mean(above) / mean(below), over the cells in which both have a value; NaN where the mean of
    `below` is 0. Shape of both: (columns, seeds, texts)
    """
    known = ~(numpy.isnan(above) | numpy.isnan(below))
    above, below = (numpy.where(known, values, 0.0) for values in (above, below))
    number = known.sum(axis=(1, 2))
    with numpy.errstate(divide="ignore", invalid="ignore"):
        length = below.sum(axis=(1, 2)) / number
        ratio = above.sum(axis=(1, 2)) / number / numpy.where(length == 0, numpy.nan, length)
        rest = (above - ratio[:, None, None] * below) / length[:, None, None]
    spread = intervals(numpy.where(known, rest, numpy.nan))
    return Intervals(ratio, ratio + spread.low, ratio + spread.high, spread.over_seeds)
