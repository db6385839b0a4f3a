"""
The tables that analyses have written into a folder, with typed rows: a table is known by its name
and by the dataclass of its rows, whose fields are columns.
"""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import (
    Any,
    Generic,
    TypeVar,
)

import pandas

from analysis.errors import AnalysisError
from analysis.formats import read_csv
from analysis.manifest import MANIFEST, read_listed, read_manifest
from analysis.performance import NOTHING
from analysis.written import Estimate

# Where the metadata of a field says which columns it is made of.
COLUMN, ESTIMATE = "column", "estimate"


def column(name: str, default: Any = MISSING) -> Any:
    """A field whose column has another name than it."""
    return field(default=default, metadata={COLUMN: name})


@dataclass(frozen=True)
class EstimateColumns:
    """
    Of which columns an `Estimate` is made: `NAME low`, `NAME high`, and the mean.

    mean : that column; `NAME` or `NAME mean`, whichever is there, if none is given.
    difference : whether it says how far two things are apart.
    known_by : the end of the column without whose value the estimate is None; if there is no such
        end, all columns have to be there.
    """

    name: str = ""
    mean: str = ""
    difference: bool = False
    known_by: str = ""

    def read(self, row: Mapping[str, Any], nothing: str) -> Estimate | None:
        """
        From a row as it was written, whose model gives nothing to judge for the reason `nothing`,
        if any.
        """
        ends = {end: f"{self.name} {end}".strip() for end in ("mean", "low", "high")}
        ends["mean"] = self.mean or (self.name if self.name in row else ends["mean"])
        if self.known_by and math.isnan(row.get(ends[self.known_by], math.nan)):
            return None
        mean, low, high = (float(row[name]) for name in ends.values())
        return Estimate(mean, low, high, self.difference, nothing)


def estimated(name: str = "", mean: str = "", difference: bool = False) -> Any:
    """A field that is a number with its interval; see `EstimateColumns`."""
    return field(metadata={ESTIMATE: EstimateColumns(name, mean, difference)})


def estimated_if_known(name: str, difference: bool = False) -> Any:
    """The same, or None in tables that were written without it and in rows that have no value."""
    columns = EstimateColumns(name, difference=difference, known_by="mean")
    return field(default=None, metadata={ESTIMATE: columns})


def paired(name: str) -> Any:
    """
    A field that is a difference on the same texts; None in tables that were written without, and in
    rows of which no values of texts are known.
    """
    columns = EstimateColumns(name, difference=True, known_by="low")
    return field(default=None, metadata={ESTIMATE: columns})


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """
    A row about a model. A field is the column of its name, with blanks for each `_`, unless it is
    made by one of the functions above.

    protocol : how the model was trained; nothing in tables that were written without.
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
    name : of the table's files.
    row : what its rows are.
    """

    name: str
    row: type[R]

    def rows(self, table: pandas.DataFrame) -> list[R]:
        """Those of a table as it was written."""
        return [self._read(row) for row in table.to_dict("records")]

    def _read(self, row: Mapping[str, Any]) -> R:
        said = row.get(NOTHING)
        values: dict[str, Any] = {}
        for each in fields(self.row):
            try:
                if ESTIMATE in each.metadata:
                    # An empty cell of a csv is read as no number.
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
    What a folder of results has.

    tables : as they were written, by name.
    study : what the study is called, by its folder.
    """

    tables: dict[str, pandas.DataFrame]
    study: str = ""

    def rows(self, table: TypedTable[R], **equal: Any) -> list[R]:
        """Those rows of the table whose fields have these values; none if there is no such table."""
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
    """The rows that have the same values in these fields, in the order of the first of each."""
    groups: dict[tuple, list[R]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in names), []).append(row)
    return iter(groups.items())


def read_tables(folder: Path, names: Sequence[str]) -> Tables:
    """
    The tables of these names that the folder has. A folder of a few tables alone, without a
    manifest, will do.
    """
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
    # What a study has for each corpus lies in a folder below its own.
    above = folder.resolve().parent
    return Tables(tables, above.name if (above / MANIFEST).exists() else folder.resolve().name)
