"""The numbers printed in a paper compared with ours: whether each is reproduced, and by how much it differs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas

from analysis.claims.table_rows import Tables
from analysis.written import number

NAME = "beside-print"
COLUMNS = ["paper", "exhibit", "corpus", "model", "protocol", "quantity", "published", "ours"]
COLUMNS += ["low", "high", "difference", "tolerance", "reproduced", "note", "table", "source"]
SHOWN = [*COLUMNS[:8], "interval", "difference", "reproduced"]
CAPTION = "The numbers that the papers print, compared with ours."
ABOUT = (
    "Reproduced: the printed number lies in our 95 % interval, widened on both sides by the tolerance (csv): "
    "what two trainings with other seeds, or a test set of that size, differ by; and the interval is short enough to "
    "say so. If not, by how much ours is away. A number that is not reproduced says nothing of a claim."
)
# The least by which two unseeded runs of Jain & Wallace's released code differ.
OF_TAU = 0.05
# Two standard errors of a share on the smallest test set, SST's 1725 texts.
OF_ACCURACY = 0.02
# For distances between attention weights, and between outputs.
OF_JSD, OF_TVD = 0.05, 0.02
# Rounding in print, for intervals that are over trained models already.
ROUNDED = 0.005
TOLERANCES = {
    "tau": OF_TAU,
    "accuracy": OF_ACCURACY,
    "jsd": OF_JSD,
    "tvd": OF_TVD,
    "rounded": ROUNDED,
}
# Rounding in computation: a number on a bound counts as inside.
ROUNDING = 1e-9
YES, INCONCLUSIVE = "yes", "inconclusive"
# An interval whose longer side exceeds this number of tolerances would contain almost any printed number. If the
# tolerance is rounding alone, that of accuracy is used.
WIDE = 2
# The sources of published numbers.
PAPER, RELEASED_CODE = "paper", "outputs of released code"


@dataclass(frozen=True)
class Traced:
    """
    A known reason why some of our numbers differ from the printed ones.

    rows : values of columns that select the rows it applies to.
    known : the facts, each with what it was measured on.
    """

    rows: Mapping[str, Any]
    known: str


@dataclass(frozen=True)
class Printed:
    """
    One kind of published number, in a table of ours that has a column for it.

    table : the name of our table.
    exhibit : the paper's name of its table or figure.
    quantity : what the number is; fields in braces are columns of the row.
    published : the column of the printed number.
    ours : the column of our number; `ends` is the prefix of the columns of its interval.
    tolerance : see `ABOUT`.
    only : values of columns that select the rows.
    chosen : selects rows where values of columns do not suffice.
    note : how our number differs from the printed one in definition.
    source : where the number was published.
    traced : known reasons for differences of single numbers.
    """

    table: str
    exhibit: str
    quantity: str
    published: str
    tolerance: float
    ours: str = "mean"
    ends: str = ""
    only: Mapping[str, Any] = field(default_factory=dict, hash=False)
    chosen: Callable[[pandas.DataFrame], pandas.DataFrame] = lambda table: table
    note: str = ""
    paper: str = ""
    source: str = PAPER
    traced: tuple[Traced, ...] = ()

    def rows(self, tables: Tables) -> Iterator[dict[str, Any]]:
        """One row for each number that both sides have."""
        table = tables.tables.get(self.table, pandas.DataFrame())
        for row in self.chosen(table).to_dict("records") if len(table) else ():
            published = row.get(self.published, math.nan)
            ours = row.get(self.ours, math.nan)
            if _matches(row, self.only) and not math.isnan(published) and not math.isnan(ours):
                yield self._row(row, float(published), float(ours), tables.study)

    def _row(
        self, row: Mapping[str, Any], published: float, ours: float, study: str
    ) -> dict[str, Any]:
        low, high = (row.get(f"{self.ends} {end}".strip(), math.nan) for end in ("low", "high"))
        protocol = row.get("protocol")
        known = [each.known for each in self.traced if _matches(row, each.rows)]
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


def _matches(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(row.get(name) == value for name, value in values.items())


def reproduction(published: float, ours: float, low: float, high: float, tolerance: float) -> str:
    """
    `yes`; `no, -0.269`, with the difference of ours; or `inconclusive` where the interval is too wide for a yes.
    Without an interval, the tolerance alone decides.
    """
    low, high = (ours if math.isnan(end) else end for end in (low, high))
    # Rounding of the printed number must not decide.
    if not low - tolerance - ROUNDING <= published <= high + tolerance + ROUNDING:
        return f"no, {'+' if ours > published else ''}{number(ours - published)}"
    longer = max(high - ours, ours - low) - ROUNDING
    return YES if longer <= WIDE * max(tolerance, OF_ACCURACY) else INCONCLUSIVE


def compare_with_print(tables: Tables, printed: Sequence[Printed]) -> pandas.DataFrame:
    """One row for each printed number that has a counterpart in the tables."""
    rows: list[dict[str, Any]] = [row for one in printed for row in one.rows(tables)]
    return pandas.DataFrame(rows, columns=COLUMNS)
