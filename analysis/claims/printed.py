"""The numbers printed in a paper compared with ours: whether each is reproduced, and by how much it differs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas

from analysis.claims.table_rows import Tables, seeds_of
from analysis.statistics.intervals import LEAST_SEEDS, prediction_interval
from analysis.written import Estimate, number

NAME = "beside-print"
COLUMNS = ["paper", "exhibit", "corpus", "model", "protocol", "quantity", "published", "ours"]
COLUMNS += ["low", "high", "difference", "seeds", "prediction low", "prediction high", "widest"]
COLUMNS += ["reproduced", "note", "table", "source"]
SHOWN = [*COLUMNS[:8], "interval", "difference", "seeds", "prediction", "reproduced"]
CAPTION = "The numbers that the papers print, compared with ours."
ABOUT = (
    "Reproduced: the printed number, give or take its rounding, lies in our 95 % prediction interval for one more "
    "training: mean +- t sd sqrt(1 + 1 / seeds), with the standard deviation between seeds (where a table has none, as "
    "half of its interval implies). If not, by how much ours is away. Inconclusive: fewer than 3 seeds, or half of "
    "the interval is longer than `widest` (csv), so that it would hold nearly any number. A number that is not "
    "reproduced says nothing of a claim."
)
# Half of a prediction interval beyond these would hold nearly any printed number of the kind. Bounds are ours.
WIDEST = {
    "tau": 0.15,
    "jsd": 0.15,
    "accuracy": 0.06,
    "tvd": 0.06,
    "entropy": 0.06,
    "share": 0.15,
    "correlation": 0.3,
}
CORRELATION = "correlation"
# Rounding in computation: a number on a bound counts as inside.
ROUNDING = 1e-9
YES, INCONCLUSIVE = "yes", "inconclusive"
# The sources of published numbers.
PAPER, RELEASED_CODE, RERUN = "paper", "outputs of released code", "reproduction by others"
SECONDARY = "notes on the paper"


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
    kind : one of `WIDEST`.
    decimals : the number of decimals in print.
    ours : the column of our number; `ends` is the prefix of the columns of its interval.
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
    kind: str
    decimals: int = 2
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
        seeds, interval = (
            _seeds(row),
            Estimate(ours, low, high, correlation=self.kind == CORRELATION),
        )
        sd = row.get(
            f"sd {self.ours}", row.get("seed std", math.nan) if not self.ends else math.nan
        )
        predicted = prediction(interval, seeds, sd)
        rounding, widest = 0.5 * 10**-self.decimals, WIDEST[self.kind]
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
            "seeds": seeds,
            "prediction low": predicted.low,
            "prediction high": predicted.high,
            "widest": widest,
            "reproduced": reproduction(published, predicted, rounding, widest),
            "note": "; ".join(filter(None, [self.note, *known])),
            "table": self.table,
            "source": self.source,
        }


def _matches(row: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    return all(row.get(name) == value for name, value in values.items())


def _seeds(row: Mapping[str, Any]) -> float:
    """The seeds of a row; where trained models with several lambdas are correlated, those of each lambda."""
    return row["n"] / row["lambdas"] if "lambdas" in row else seeds_of(row)


def prediction(ours: Estimate, seeds: float, sd: float = math.nan) -> Estimate:
    """
    The interval in which one more training falls: mean +- t sd sqrt(1 + 1 / seeds), unknown with fewer than 3 seeds.
    Without the standard deviation between seeds it is what Student's interval of the mean implies: half of that times
    sqrt(seeds + 1); for a correlation, on Fisher's scale.
    """
    if not seeds >= LEAST_SEEDS:
        return replace(ours, low=math.nan, high=math.nan)
    if not math.isnan(sd):
        low, high = prediction_interval(ours.mean, sd, int(seeds))
        return replace(ours, low=low, high=high)
    there, back = (math.atanh, math.tanh) if ours.correlation else (float, float)
    middle, longer = there(ours.mean), math.sqrt(seeds + 1)
    low, high = (back(middle + longer * (there(end) - middle)) for end in (ours.low, ours.high))
    return replace(ours, low=low, high=high)


def reproduction(published: float, predicted: Estimate, rounding: float, widest: float) -> str:
    """
    `yes`; `no, -0.269`, with the difference of ours; or `inconclusive` where there is no prediction interval, or it
    is too wide for a yes.
    """
    if not predicted.interval.known:
        return INCONCLUSIVE
    slack = rounding + ROUNDING
    if not predicted.low - slack <= published <= predicted.high + slack:
        return (
            f"no, {'+' if predicted.mean > published else ''}{number(predicted.mean - published)}"
        )
    longer = max(predicted.high - predicted.mean, predicted.mean - predicted.low)
    return YES if longer <= widest + ROUNDING else INCONCLUSIVE


def compare_with_print(tables: Tables, printed: Sequence[Printed]) -> pandas.DataFrame:
    """One row for each printed number that has a counterpart in the tables."""
    rows: list[dict[str, Any]] = [row for one in printed for row in one.rows(tables)]
    return pandas.DataFrame(rows, columns=COLUMNS)
