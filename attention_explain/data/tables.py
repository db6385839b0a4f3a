"""Comma- and tab-separated files as rows, each with the line at which it begins."""

import csv
from typing import Iterator, List, Tuple

from attention_explain.data.errors import DataError
from attention_explain.data.sources import PathOrStr, numbered_lines

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
