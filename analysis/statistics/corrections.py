"""P-values of many tests: what is left of them when the tests are counted."""

import numpy
from scipy.stats import false_discovery_control

# A p-value up to here is called significant, as in the papers.
ALPHA = 0.05


def benjamini_hochberg(p_values: numpy.ndarray) -> numpy.ndarray:
    """Adjusted p-values of one family; NaN is no test and stays. Shape: (tests,) -> (tests,)"""
    adjusted = numpy.full(p_values.shape, numpy.nan)
    tested = ~numpy.isnan(p_values)
    if tested.any():
        adjusted[tested] = false_discovery_control(p_values[tested], method="bh")
    return adjusted


def holm(p_values: numpy.ndarray) -> numpy.ndarray:
    """Adjusted p-values of one family; NaN is no test and stays. Shape: (tests,) -> (tests,)"""
    adjusted = numpy.full(p_values.shape, numpy.nan)
    tested = numpy.flatnonzero(~numpy.isnan(p_values))
    order = tested[numpy.argsort(p_values[tested], kind="stable")]
    remaining = len(order) - numpy.arange(len(order))
    steps = numpy.maximum.accumulate(p_values[order] * remaining)
    adjusted[order] = numpy.minimum(steps, 1.0)
    return adjusted


def share_significant(p_values: numpy.ndarray, corrected: bool = False) -> float:
    """
    Of the texts that have a p-value, the share at most `ALPHA`; corrected, after Benjamini and
    Hochberg among the texts of each seed. Shape: (..., texts)
    """
    rows = p_values.reshape(-1, p_values.shape[-1])
    if corrected:
        rows = numpy.array([benjamini_hochberg(row) for row in rows])
    tested = ~numpy.isnan(rows)
    return float((rows[tested] <= ALPHA).mean()) if tested.any() else numpy.nan
