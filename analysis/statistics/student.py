"""
Student's interval, for the mean of a few trained models of which no more is known: over seeds, on
the texts that they were tested on.
"""

import math
from typing import Tuple

from scipy.stats import t

from analysis.statistics.intervals import LEAST_SEEDS, LEVEL


def student_interval(mean: float, std: float, number: int) -> Tuple[float, float]:
    """Of values with this standard deviation (ddof 1); of fewer than three there is none."""
    if number < LEAST_SEEDS:
        return math.nan, math.nan
    half = t.ppf((1 + LEVEL) / 2, number - 1) * std / math.sqrt(number)
    return float(mean - half), float(mean + half)
