"""
Tables: comma- and tab-separated files as rows, each with the line at which it begins; parquet files,
whole.
"""

import csv
from typing import Iterator, List, Optional, Sequence, Tuple

import pyarrow

from attention_explain.data.errors import DataError
from attention_explain.data.sources import PathOrStr, local_path, numbered_lines
from attention_explain.files.sealed import Damaged, read_sealed

LONGEST_CELL = 2**31 - 1  # Clinical notes are longer than the csv module's default limit.


def numbered_rows(source: PathOrStr, delimiter: str = ",") -> Iterator[Tuple[int, List[str]]]:
    """
    The rows of a table that are not empty, with the number of their first line: a quoted cell may
    hold line ends.
    """
    csv.field_size_limit(LONGEST_CELL)
    lines = (line + "\n" for _, line in numbered_lines(source))
    # Tab-separated files of this field do not quote: a lone " is a token like any other.
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    table = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True)
    first_line = 1
    try:
        for row in table:
            if row:
                yield first_line, row
            first_line = table.line_num + 1
    except csv.Error as error:
        raise DataError(f"is not a table ({error})", source, first_line) from error


def read_parquet(source: PathOrStr, columns: Optional[Sequence[str]] = None) -> pyarrow.Table:
    """The table, or some of its columns; `DataError` if it is damaged."""
    try:
        return read_sealed(local_path(source), columns=columns)
    except Damaged as error:
        raise DataError(str(error)) from error
