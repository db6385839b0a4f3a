"""
Tables of a results folder with typed rows: a table has a name and a dataclass for its rows, whose fields are columns.
"""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

import pandas

from analysis.errors import AnalysisError
from analysis.formats import read_csv
from analysis.manifest import MANIFEST, read_listed, read_manifest
from analysis.performance import NOTHING
from analysis.statistics.intervals import LEAST_SEEDS, TEXTS
from analysis.written import Estimate

# The column of rows that a paper has printed.
PRINTED = "printed"
# Keys of field metadata: the column or the estimate that the field is read from.
COLUMN, ESTIMATE = "column", "estimate"


def column(name: str, default: Any = MISSING) -> Any:
    """A field whose column has another name."""
    return field(default=default, metadata={COLUMN: name})


@dataclass(frozen=True)
class EstimateColumns:
    """
    The columns of an `Estimate`: `NAME low`, `NAME high`, and the mean.

    mean : the column of the mean; by default `NAME` or `NAME mean`, whichever exists.
    difference : whether it is a difference of two numbers.
    known_by : `mean` or `low`: the estimate is None if that column is missing or empty. By default all columns are
        required.
    correlation : whether it is a correlation with Fisher's interval.
    """

    name: str = ""
    mean: str = ""
    difference: bool = False
    known_by: str = ""
    correlation: bool = False

    def read(self, row: Mapping[str, Any], nothing: str) -> Estimate | None:
        """Read from a row; `nothing` says why the model gives nothing to judge, if so."""
        ends = {end: f"{self.name} {end}".strip() for end in ("mean", "low", "high")}
        ends["mean"] = self.mean or (self.name if self.name in row else ends["mean"])
        if self.known_by and math.isnan(row.get(ends[self.known_by], math.nan)):
            return None
        mean, low, high = (float(row[name]) for name in ends.values())
        df, seeds = degrees_of_freedom(row, f"{self.name} df".strip()), seeds_of(row)
        kinds = (self.correlation, row.get(PRINTED) is True)
        return Estimate(mean, low, high, self.difference, nothing, df, seeds, *kinds)


def seeds_of(row: Mapping[str, Any]) -> float:
    """The number of trained models; the smaller of `5 and 3`; NaN if the row does not say."""
    told = row.get("seeds")
    if told is None or told != told:
        return math.nan
    return min(float(number) for number in str(told).split(" and "))


def degrees_of_freedom(row: Mapping[str, Any], name: str) -> float:
    """
    Of an interval: from its own column, or the least that it can have. Intervals over texts and seeds have at least
    one less than there are seeds, intervals over texts alone one less than there are texts.
    """
    if name in row and not math.isnan(row[name]):
        return float(row[name])
    seeds = seeds_of(row)
    if row.get("interval over") == TEXTS or seeds < LEAST_SEEDS:
        texts = row.get("texts", row.get("n", math.nan))
        return max(1.0, float(texts) - 1) if pandas.notna(texts) else math.nan
    return seeds - 1


def estimated(
    name: str = "", mean: str = "", difference: bool = False, correlation: bool = False
) -> Any:
    """A field for a number with its interval; see `EstimateColumns`."""
    columns = EstimateColumns(name, mean, difference, correlation=correlation)
    return field(metadata={ESTIMATE: columns})


def estimated_if_known(name: str, difference: bool = False, correlation: bool = False) -> Any:
    """The same, or None where the table or the row does not have it."""
    columns = EstimateColumns(name, "", difference, "mean", correlation)
    return field(default=None, metadata={ESTIMATE: columns})


def paired(name: str) -> Any:
    """A field for a difference on the same texts; None if the table does not have it."""
    columns = EstimateColumns(name, difference=True, known_by="low")
    return field(default=None, metadata={ESTIMATE: columns})


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """
    A row about a model. A field is read from the column of its name, with spaces for `_`, unless one of the functions
    above defines it.

    protocol : how the model was trained; empty in tables without that column.
    nothing : why the model gives nothing to judge, if so.
    """

    corpus: str
    model: str = ""
    protocol: str = ""
    encoder: str = ""
    attention: str = ""
    projection: str = ""
    role: str = ""
    nothing: str = column(NOTHING, "")


R = TypeVar("R", bound=TableRow)


@dataclass(frozen=True)
class TypedTable(Generic[R]):
    """
    A table with typed rows.

    name : the name of its files.
    row : the dataclass of its rows.
    """

    name: str
    row: type[R]

    def rows(self, table: pandas.DataFrame) -> list[R]:
        """The typed rows of a table."""
        return [self._read(row) for row in table.to_dict("records")]

    def _read(self, row: Mapping[str, Any]) -> R:
        said = row.get(NOTHING)
        values: dict[str, Any] = {}
        for each in fields(self.row):
            try:
                if ESTIMATE in each.metadata:
                    # An empty cell of a csv file is read as NaN.
                    nothing = said if isinstance(said, str) else ""
                    values[each.name] = each.metadata[ESTIMATE].read(row, nothing)
                else:
                    name = each.metadata.get(COLUMN, each.name.rstrip("_").replace("_", " "))
                    if name in row or each.default is MISSING:
                        value = row[name]
                        values[each.name] = "" if each.type is str and value != value else value
            except KeyError as error:
                raise AnalysisError(f"{self.name}.csv: has no column {error}") from error
        return self.row(**values)


@dataclass(frozen=True)
class Tables:
    """
    The tables of a results folder.

    tables : data frames by name.
    study : the name of the study, from its folder.
    """

    tables: dict[str, pandas.DataFrame]
    study: str = ""

    def rows(self, table: TypedTable[R], **equal: Any) -> list[R]:
        """The rows of the table whose fields have these values; empty if there is no such table."""
        written = self.tables.get(table.name)
        return [] if written is None else where(table.rows(written), **equal)


def where(rows: Sequence[R], **equal: Any) -> list[R]:
    """The rows whose fields have these values."""
    return [
        row for row in rows if all(getattr(row, name) == value for name, value in equal.items())
    ]


def first_where(rows: Sequence[R], **equal: Any) -> R | None:
    """The first row whose fields have these values; None if there is none."""
    return next(iter(where(rows, **equal)), None)


def group_rows(rows: Sequence[R], *names: str) -> Iterator[tuple[tuple, list[R]]]:
    """Groups of rows with the same values in these fields, in the order of their first rows."""
    groups: dict[tuple, list[R]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in names), []).append(row)
    return iter(groups.items())


def read_tables(folder: Path, names: Sequence[str]) -> Tables:
    """The tables of these names in the folder, which need not have a manifest."""
    manifest = read_manifest(folder) if (folder / MANIFEST).exists() else {}
    tables = {}
    for name in names:
        path = folder / f"{name}.csv"
        if path.is_file():
            content = read_listed(folder, manifest, path.name)
            try:
                tables[name] = read_csv(io.BytesIO(content))
            except (OSError, ValueError) as error:
                raise AnalysisError(f"{path}: cannot be read as a table ({error})") from error
    # Results of one corpus are in a subfolder of the study.
    above = folder.resolve().parent
    return Tables(tables, above.name if (above / MANIFEST).exists() else folder.resolve().name)
