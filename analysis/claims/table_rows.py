"""The tables of a folder of results, by name."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import pandas

from analysis.errors import AnalysisError
from analysis.formats import read_csv
from analysis.manifest import MANIFEST, read_listed, read_manifest

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Tables:
    tables: Dict[str, pandas.DataFrame]

    def rows(self, name: str, **equal: Any) -> List[Row]:
        """Those of a table with these values; none if there is no such table."""
        table = self.tables.get(name)
        if table is None:
            return []
        return [
            row
            for row in table.to_dict("records")
            if all(row.get(column.replace("_", " ")) == value for column, value in equal.items())
        ]


def grouped(columns: Sequence[str], rows: Sequence[Row]) -> Iterator[Tuple[tuple, List[Row]]]:
    """The rows that have the same values in these columns, in the order of the first of each."""
    groups: Dict[tuple, List[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return iter(groups.items())


def one(rows: Sequence[Row], **equal: Any) -> Optional[Row]:
    """The first row with these values; None if there is none."""
    for row in rows:
        if all(row.get(column.replace("_", " ")) == value for column, value in equal.items()):
            return row
    return None


def read_tables(folder: Path, names: Sequence[str]) -> Tables:
    """Those that are there. A folder of a few tables alone, without a manifest, will do."""
    manifest = read_manifest(folder) if (folder / MANIFEST).exists() else {}
    found = {}
    for name in names:
        path = folder / f"{name}.csv"
        if path.is_file():
            content = read_listed(folder, manifest, path.name)
            try:
                found[name] = read_csv(io.BytesIO(content))
            except (OSError, ValueError) as error:
                raise AnalysisError(f"{path}: cannot be read as a table ({error})") from error
    return Tables(found)
