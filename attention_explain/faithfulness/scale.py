"""The scale that every measure of an order is given on: from chance to the best that is known."""

from typing import Optional

# The best must be better than chance by more, or there is no scale.
LEAST = 1e-6


def normalised(value: float, chance: float, best: float, higher_is_better: bool) -> Optional[float]:
    """
    (value - chance) / (best - chance): 0 for a method that is as good as random orders, 1 for one that
    nothing can beat, negative for one that is worse than chance. None where there is no scale.
    """
    length = best - chance
    if (length if higher_is_better else -length) <= LEAST:
        return None
    return float((value - chance) / length)
