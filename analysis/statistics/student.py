"""Student's interval, for the mean of a few trained models."""

import math
from typing import Tuple

from scipy.stats import t

# Of 95 %.
TAIL = 0.025


def student_interval(mean: float, std: float, number: int) -> Tuple[float, float]:
    """Of values with this standard deviation (ddof 1); of fewer than two there is none."""
    if number < 2:
        return math.nan, math.nan
    half = t.ppf(1 - TAIL, number - 1) * std / math.sqrt(number)
    return float(mean - half), float(mean + half)
