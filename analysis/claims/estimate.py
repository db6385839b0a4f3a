"""A number with its interval, and how it stands to a bound."""

import math
from dataclasses import dataclass, replace
from typing import Any, Mapping, Optional

from analysis.learned import NOTHING


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

    def minus(self, other: "Estimate") -> "Estimate":
        """
        As if the two were independent, for want of a paired difference. Where both come from the
        same texts they vary together, and the true interval is shorter.
        """
        mean = self.mean - other.mean
        below = math.hypot(self.mean - self.low, other.high - other.mean)
        above = math.hypot(self.high - self.mean, other.mean - other.low)
        return Estimate(mean, mean - below, mean + above, True, self.nothing or other.nothing)

    def __str__(self) -> str:
        if math.isnan(self.low) or math.isnan(self.high):
            return _short(self.mean)
        return f"{_short(self.mean)} [{_short(self.low)}, {_short(self.high)}]"


def estimate(row: Mapping[str, Any], name: str = "", difference: bool = False) -> Estimate:
    """From the columns `mean`, `low` and `high` of a table, or `NAME`, `NAME low`, `NAME high`."""
    mean = row[name] if name in row else row[f"{name} mean".strip()]
    low, high = (float(row[f"{name} {end}".strip()]) for end in ("low", "high"))
    return Estimate(float(mean), low, high, difference, nothing_in(row))


def nothing_in(row: Mapping[str, Any]) -> str:
    """What the row says of its model; an empty cell of a csv is read as no number."""
    said = row.get(NOTHING)
    return said if isinstance(said, str) else ""


def placed(row: Mapping[str, Any]) -> Estimate:
    """
    An agreement by its place between chance and the best that ties allow; by its mean, if the table
    has no places.
    """
    return estimate(row, "place") if has_place(row) else estimate(row)


def has_place(row: Mapping[str, Any]) -> bool:
    return not math.isnan(row.get("place", math.nan))


def in_words(measure: str, row: Mapping[str, Any]) -> str:
    """What `placed` is the number of: `tau with gradient .200 of at most .215, place`."""
    if not has_place(row):
        return measure
    return f"{measure} {_short(row['mean'])} of at most {_short(row['ceiling'])}, place"


def paired(row: Mapping[str, Any], name: str) -> Optional[Estimate]:
    """
    A difference on the same texts, if the table has one: tables that were written without, and rows
    of which no values of texts are known, have none.
    """
    known = not math.isnan(row.get(f"{name} low", math.nan))
    return estimate(row, name, difference=True) if known else None


def less(first: Estimate, second: Estimate, row: Mapping[str, Any], name: str) -> Estimate:
    """First less second, on the same texts if the row has it as `NAME`; else as if independent."""
    apart, found = first.minus(second), paired(row, name)
    return apart if found is None else replace(found, nothing=apart.nothing)


def average(several: "list[Estimate]") -> Estimate:
    """As if all varied together, which makes the interval no shorter than it is."""
    number = len(several)
    return Estimate(
        sum(one.mean for one in several) / number,
        sum(one.low for one in several) / number,
        sum(one.high for one in several) / number,
        nothing=next((one.nothing for one in several if one.nothing), ""),
    )


def _short(number: float) -> str:
    return f"{number:.3f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.3f}"
