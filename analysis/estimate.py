"""
Numbers as people read them, in tables, claims and sentences alike: three digits, with the zero
before the point, and an estimate with the ends of its 95 % interval: `0.279 [0.268, 0.290]`.
Where there is no number there is a dash; where only the interval is missing, the mean stands alone.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, List, Mapping, Optional, Sequence

import pandas

# csv keeps all of them.
DIGITS = 3
NONE = "-"


def number(value: float) -> str:
    """`0.279`; a zero has no sign."""
    return NONE if math.isnan(value) else f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"


@dataclass(frozen=True)
class Interval:
    """The ends of a 95 % interval; NaN where there is none."""

    low: float
    high: float

    @property
    def known(self) -> bool:
        """Whether it has both ends."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    def __str__(self) -> str:
        return f"[{number(self.low)}, {number(self.high)}]" if self.known else NONE


@dataclass(frozen=True)
class Estimate:
    """
    A mean and its interval.

    difference : whether it says how far two things are apart.
    nothing : why its model gives nothing to judge, if so.
    """

    mean: float
    low: float
    high: float
    difference: bool = False
    nothing: str = ""

    @classmethod
    def of(
        cls,
        row: Mapping[str, Any],
        name: str = "",
        mean: Optional[str] = None,
        difference: bool = False,
        nothing: str = "",
    ) -> "Estimate":
        """
        From a row with `NAME` (or `NAME mean`), `NAME low` and `NAME high`; without a name, with
        `mean`, `low` and `high`. `mean` is the column of the mean where it is called otherwise.
        """
        if mean is None:
            mean = name if name in row else f"{name} mean".strip()
        ends = (float(row[f"{name} {end}".strip()]) for end in ("low", "high"))
        return cls(float(row[mean]), *ends, difference, nothing)

    @property
    def interval(self) -> Interval:
        """Without the mean."""
        return Interval(self.low, self.high)

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
        """Of the number with the other sign."""
        return replace(self, mean=-self.mean, low=-self.high, high=-self.low)

    def __str__(self) -> str:
        if math.isnan(self.mean) or not self.interval.known:
            return number(self.mean)
        return f"{number(self.mean)} {self.interval}"


def average(several: Sequence[Estimate]) -> Estimate:
    """As if all varied together, which makes the interval no shorter than it is."""
    count = len(several)
    return Estimate(
        sum(one.mean for one in several) / count,
        sum(one.low for one in several) / count,
        sum(one.high for one in several) / count,
        nothing=next((one.nothing for one in several if one.nothing), ""),
    )


def estimates(
    table: pandas.DataFrame, name: str = "", mean: Optional[str] = None
) -> List[Estimate]:
    """An estimate for each row, for the table that people read; `name` and `mean` as in `Estimate.of`."""
    return [Estimate.of(row, name, mean) for row in table.to_dict("records")]


def interval_column(table: pandas.DataFrame, name: str = "") -> List[Interval]:
    """The same without the means, where these have a column of their own."""
    low, high = (table[f"{name} {end}".strip()].astype(float) for end in ("low", "high"))
    return [Interval(*ends) for ends in zip(low, high, strict=True)]
