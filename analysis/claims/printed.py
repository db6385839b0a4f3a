"""What was printed in a paper, number by number, compared with ours: reproduced or not, and by how much."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas

from analysis.claims.table_rows import Tables
from analysis.written import number

NAME = "beside-print"
COLUMNS = ("paper", "exhibit", "corpus", "model", "protocol", "quantity", "published", "ours")
COLUMNS += ("low", "high", "difference", "tolerance", "reproduced", "note", "table", "source")
SHOWN = [*COLUMNS[:8], "interval", "difference", "reproduced"]
CAPTION = "The numbers that the papers print, compared with ours."
ABOUT = (
    "Reproduced: the printed number lies in our 95 % interval, widened on both sides by the tolerance (csv): "
    "what two trainings with other seeds, or a test set of that size, differ by; and the interval is short enough to "
    "say so. If not, by how much ours is away. A number that is not reproduced says nothing of a claim."
)
# What two runs of Jain & Wallace's released code without a seed differ by, at least.
OF_TAU = 0.05
# Two standard errors of a share on the smallest test set, SST's 1725 texts.
OF_ACCURACY = 0.02
# Of distances between attention, and between outputs.
OF_JSD, OF_TVD = 0.05, 0.02
# Where the interval is over trained models already, what print has rounded away.
ROUNDED = 0.005
# Of computation, so that a number on a bound is inside.
ROUNDING = 1e-9
YES, INCONCLUSIVE = "yes", "inconclusive"
# An interval whose longer side is longer than this many tolerances would hold almost anything that is printed. Where the
# tolerance is rounding alone, those of accuracy.
WIDE = 2
# Where a number stands.
PAPER, RELEASED_CODE = "paper", "outputs of released code"


@dataclass(frozen=True)
class Traced:
    """
    What is known of why some numbers of ours are not those that were printed.

    rows : the values of columns of the rows that are meant.
    known : facts, each with what it was measured on.
    """

    rows: Mapping[str, Any]
    known: str


@dataclass(frozen=True)
class Printed:
    """
    Numbers of one kind in a table of ours that has what was printed in a column.

    table : ours.
    exhibit : the paper's own name of its table or figure.
    quantity : what it is; fields in braces are columns of the row.
    published : the column with what was printed; in tables of earlier versions, `earlier`.
    ours : the column with our number, and `ends` how those of its interval begin.
    tolerance : see `ABOUT`.
    only : the values of columns of the rows that are meant.
    chosen : from the table the rows that are meant, where values do not say.
    note : in which way ours is not what was printed.
    source : where the number stands.
    traced : what is known of the reasons, of single numbers.
    """

    table: str
    exhibit: str
    quantity: str
    published: str
    tolerance: float
    ours: str = "mean"
    ends: str = ""
    earlier: str = ""
    only: Mapping[str, Any] = field(default_factory=dict, hash=False)
    chosen: Callable[[pandas.DataFrame], pandas.DataFrame] = lambda table: table
    note: str = ""
    paper: str = ""
    source: str = PAPER
    traced: tuple[Traced, ...] = ()

    def rows(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """One for each number that both have."""
        table = tables.tables.get(self.table, pandas.DataFrame())
        for row in self.chosen(table).to_dict("records") if len(table) else ():
            published = row.get(self.published, row.get(self.earlier, math.nan))
            ours = row.get(self.ours, math.nan)
            if _meant(row, self.only) and not math.isnan(published) and not math.isnan(ours):
                yield self._row(row, float(published), float(ours), tables.study)

    def _row(
        self, row: Mapping[str, Any], published: float, ours: float, study: str
    ) -> dict[str, Any]:
        low, high = (row.get(f"{self.ends} {end}".strip(), math.nan) for end in ("low", "high"))
        protocol = row.get("protocol")
        known = [each.known for each in self.traced if _meant(row, each.rows)]
        return {
            "paper": self.paper,
            "exhibit": self.exhibit,
            "corpus": row["corpus"],
            "model": row.get("model") or f"{row['encoder']} {row['attention']}",
            "protocol": protocol if isinstance(protocol, str) else study,
            "quantity": self.quantity.format_map(row),
            "published": published,
            "ours": ours,
            "low": low,
            "high": high,
            "difference": ours - published,
            "tolerance": self.tolerance,
            "reproduced": reproduction(published, ours, low, high, self.tolerance),
            "note": "; ".join(filter(None, [self.note, *known])),
            "table": self.table,
            "source": self.source,
        }


def _meant(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(row.get(name) == value for name, value in values.items())


def reproduction(published: float, ours: float, low: float, high: float, tolerance: float) -> str:
    """
    `yes`, or `no, -0.269`: what ours is away; `inconclusive` where the interval is too wide for a yes. Without an
    interval, by the tolerance alone.
    """
    low, high = (ours if math.isnan(end) else end for end in (low, high))
    # Rounding of what was printed must not decide.
    if not low - tolerance - ROUNDING <= published <= high + tolerance + ROUNDING:
        return f"no, {'+' if ours > published else ''}{number(ours - published)}"
    longer = max(high - ours, ours - low) - ROUNDING
    return YES if longer <= WIDE * max(tolerance, OF_ACCURACY) else INCONCLUSIVE


def compare_with_print(tables: Tables, printed: Sequence[Printed]) -> pandas.DataFrame:
    """A row for each printed number that the tables have a counterpart of."""
    rows: list[dict[str, Any]] = [row for one in printed for row in one.rows(tables)]
    return pandas.DataFrame(rows, columns=list(COLUMNS))
