"""A number with its interval."""

import math
from dataclasses import dataclass, replace
from typing import Optional, Sequence


@dataclass(frozen=True)
class Estimate:
    """
    low, high : the ends of its 95 % interval.
    difference : whether it says how far two things are apart.
    nothing : why its model gives nothing to judge, if so.
    """

    mean: float
    low: float
    high: float
    difference: bool = False
    nothing: str = ""

    def minus(self, other: "Estimate", paired: Optional["Estimate"] = None) -> "Estimate":
        """
        The difference: on the same texts, if it is given as `paired`. Else as if the two were
        independent: where both come from the same texts they vary together, and the true interval
        is shorter.
        """
        nothing = self.nothing or other.nothing
        if paired is not None:
            return replace(paired, nothing=nothing)
        mean = self.mean - other.mean
        below = math.hypot(self.mean - self.low, other.high - other.mean)
        above = math.hypot(self.high - self.mean, other.mean - other.low)
        return Estimate(mean, mean - below, mean + above, True, nothing)

    def negative(self) -> "Estimate":
        return replace(self, mean=-self.mean, low=-self.high, high=-self.low)

    def __str__(self) -> str:
        if math.isnan(self.low) or math.isnan(self.high):
            return short(self.mean)
        return f"{short(self.mean)} [{short(self.low)}, {short(self.high)}]"


def average(several: Sequence[Estimate]) -> Estimate:
    """As if all varied together, which makes the interval no shorter than it is."""
    number = len(several)
    return Estimate(
        sum(one.mean for one in several) / number,
        sum(one.low for one in several) / number,
        sum(one.high for one in several) / number,
        nothing=next((one.nothing for one in several if one.nothing), ""),
    )


def short(number: float) -> str:
    """Three digits behind the point, and no 0 before it."""
    return f"{number:.3f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.3f}"
