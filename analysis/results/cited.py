"""
Numbers on a page, each with the cell of a csv file that it comes from. Code that writes a page takes
them from a `Row`; `Page` gives the text as people read it, and the list of all numbers in it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas

from analysis.formats import csv
from analysis.written import NONE, number
from attention_explain.files.atomic import write_atomic

# Around a number: signs of Unicode's private area, which no text of ours has.
OPEN, MIDDLE, CLOSE, APART = "\ue000", "\ue001", "\ue002", "\ue003"
CITED = re.compile(f"{OPEN}([^{MIDDLE}]*){MIDDLE}([^{CLOSE}]*){CLOSE}")
COLUMNS = ["page", "line", "number", "file", "row", "column"]


@dataclass(frozen=True)
class Row:
    """
    file : of the csv, as pages link it.
    position : of the row in it; the first below the head is 1.
    """

    file: str
    position: int
    values: Mapping[str, Any]

    def __getitem__(self, column: str) -> Any:
        """A name, or what decides what is said; not for numbers that are written."""
        return self.values[column]

    def number(self, column: str, digits: int = 3) -> str:
        """`0.279`, or a dash."""
        value = float(self.values[column])
        if pandas.isna(value):
            return NONE
        return self._cited(
            column, number(value) if digits == 3 else f"{round(value, digits) + 0.0:.{digits}f}"
        )

    def signed(self, column: str) -> str:
        """`+0.279`: a difference."""
        value = float(self.values[column])
        return self._cited(column, f"+{number(value)}" if value > 0 else number(value))

    def whole(self, column: str) -> str:
        """`1,725`."""
        return self._cited(column, f"{int(self.values[column]):,}")

    def percent(self, column: str, digits: int = 0) -> str:
        """`28 %`, of a share."""
        return self._cited(column, f"{100 * float(self.values[column]):.{digits}f} %")

    def estimate(self, name: str = "", mean: str | None = None) -> str:
        """`0.279 [0.268, 0.290]`, of the columns `NAME`, `NAME low` and `NAME high`."""
        low, high = (f"{name} {end}".strip() for end in ("low", "high"))
        middle = self.number(name if mean is None else mean)
        if pandas.isna(self.values[low]) or pandas.isna(self.values[high]):
            return middle
        return f"{middle} [{self.number(low)}, {self.number(high)}]"

    def shares(self, name: str = "", mean: str | None = None) -> str:
        """`28 % [26, 29]`, of the same columns; an interval is cut where shares end."""
        low, high = (f"{name} {end}".strip() for end in ("low", "high"))
        middle = self.percent(name if mean is None else mean)
        if pandas.isna(self.values[low]) or pandas.isna(self.values[high]):
            return middle
        ends = (
            self._cited(end, f"{100 * min(1.0, max(0.0, float(self.values[end]))):.0f}")
            for end in (low, high)
        )
        return f"{middle} [{', '.join(ends)}]"

    def _cited(self, column: str, shown: str) -> str:
        where = APART.join((self.file, str(self.position), column))
        return f"{OPEN}{where}{MIDDLE}{shown}{CLOSE}"


@dataclass(frozen=True)
class Sheet:
    """A csv file, written or to be written."""

    file: str
    table: pandas.DataFrame

    def __iter__(self) -> Iterator[Row]:
        for position, values in enumerate(self.table.to_dict("records"), 1):
            yield Row(self.file, position, values)

    def where(self, **equal: Any) -> list[Row]:
        """The rows with these values; for columns whose names are words."""
        return [row for row in self if all(row[key] == value for key, value in equal.items())]

    def write(self, root: Path) -> None:
        """Where its name says, below the folder of the pages."""
        write_atomic(root / self.file, csv(self.table))


@dataclass(frozen=True)
class Page:
    """A page with marked numbers. `name` is that of its file."""

    name: str
    marked: str

    @property
    def text(self) -> str:
        """As people read it."""
        return CITED.sub(r"\2", self.marked)

    def numbers(self, first_line: int = 1) -> list[dict[str, Any]]:
        """All that are marked, in their order; `first_line` is that of the page in its file."""
        rows = []
        for line, text in enumerate(self.marked.split("\n"), first_line):
            for where, shown in CITED.findall(text):
                file, row, column = where.split(APART)
                cells = (self.name, line, shown, file, int(row), column)
                rows.append(dict(zip(COLUMNS, cells, strict=True)))
        return rows


def numbers_table(rows: Sequence[dict[str, Any]]) -> pandas.DataFrame:
    """For `numbers.csv`."""
    return pandas.DataFrame(rows, columns=COLUMNS)
