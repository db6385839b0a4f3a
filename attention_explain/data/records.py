"""Files of one record a line, jsonl, csv or tsv: plain or gzip, from a path or URL."""

from pathlib import PurePath
from typing import Any, Dict, Iterable, Iterator, Optional, Tuple
from urllib.parse import urlsplit

from attention_explain.data.errors import DataError
from attention_explain.data.example import read_record
from attention_explain.data.sources import numbered_lines
from attention_explain.data.tables import numbered_rows

FORMATS = ("jsonl", "csv", "tsv")
ENDINGS = {".jsonl": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".txt": "tsv"}


def numbered_records(
    path: str, file_format: Optional[str], known: Iterable[str]
) -> Iterator[Tuple[int, Dict[str, Any]]]:
    """
    The records of a file, each with the number of its line; without a format, the file's ending
    says it. `known` are the columns that count.
    """
    file_format = file_format or _format_by_ending(path)
    if file_format == "jsonl":
        return _json_records(path)
    return _table_records(path, "\t" if file_format == "tsv" else ",", known)


def _format_by_ending(path: str) -> str:
    name = PurePath(urlsplit(path).path if "://" in path else path)
    while name.suffix in (".gz", ".gzip"):
        name = name.with_suffix("")
    return ENDINGS.get(name.suffix.lower(), "jsonl")


def _json_records(path: str) -> Iterator[Tuple[int, Dict[str, Any]]]:
    for number, line in numbered_lines(path):
        if line.strip():
            yield number, read_record(line, path, number)


def _table_records(
    path: str, delimiter: str, known: Iterable[str]
) -> Iterator[Tuple[int, Dict[str, Any]]]:
    """`known` are the columns that count: nobody could tell which of two is meant."""
    rows = numbered_rows(path, delimiter)
    first, header = next(rows, (0, []))
    for name in known:
        if header.count(name) > 1:
            raise DataError(f"has {header.count(name)} columns '{name}'", path, first)
    for number, row in rows:
        if len(row) != len(header):
            raise DataError(
                f"has {len(row)} columns, but the header has {len(header)}", path, number
            )
        yield number, dict(zip(header, row, strict=True))
