"""A table as csv, Markdown, LaTeX and JSON, and on the terminal. csv has the whole table and all digits; the others
have the table that people read, whose cells are texts, numbers, and numbers with their intervals (`Estimate`,
`Interval`). Tables that versions before 0.2 wrote are read with present names of columns and values.
"""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from csv import QUOTE_NONNUMERIC
from pathlib import Path
from typing import Any, BinaryIO

import pandas

from analysis.errors import AnalysisError
from analysis.written import (
    NONE,
    Estimate,
    Interval,
    csv_text,
    latex_text,
    markdown_text,
    number,
    one_line,
    text_of_csv,
)
from attention_explain.files.atomic import write_atomic
from attention_explain.files.records import read_json

# Columns of names, also where all of them look like numbers.
NAMES = ("corpus", "model", "group", "predicted", "label", "first", "second")


def markdown(table: pandas.DataFrame) -> str:
    """A pipe table, numbers to the right."""
    return pipe_table(
        [markdown_text(cell(name)) for name in table.columns],
        [[markdown_text(cell(value)) for value in row] for row in _rows(table)],
        ["---:" if numeric(table[name]) else "---" for name in table],
    )


def pipe_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], rule: Sequence[str] = ()
) -> str:
    """Of cells that are Markdown already; `rule` says where those of a column stand."""
    lines = [f"| {' | '.join(line)} |\n" for line in (columns, *rows)]
    lines.insert(1, f"|{'|'.join(rule or ['---'] * len(columns))}|\n")
    return "".join(lines)


def latex(table: pandas.DataFrame, caption: str, label: str) -> str:
    """For `\\input`, with the rules of the booktabs package."""
    columns = "".join("r" if numeric(table[name]) else "l" for name in table)

    def line(cells: Any) -> str:
        text = " & ".join(latex_text(cell(value)) for value in cells) + r" \\" + "\n"
        # Behind the end of a row, these would be an option of it.
        return f"{{}}{text}" if text.startswith(("[", "*")) else text

    return (
        "\\begin{table}\n\\centering\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        + line(table.columns)
        + "\\midrule\n"
        + "".join(map(line, _rows(table)))
        + "\\bottomrule\n\\end{tabular}\n"
        f"\\caption{{{latex_text(caption)}}}\n\\label{{{label}}}\n\\end{{table}}\n"
    )


def cell(value: Any) -> str:
    """A value as people read it; what is not there is a dash."""
    if value is None or (pandas.api.types.is_scalar(value) and pandas.isna(value)):
        return NONE
    return number(value) if isinstance(value, float) else str(value)


def numeric(column: pandas.Series) -> bool:
    """Whether all that it has are numbers, alone or with their intervals."""
    if column.dtype != object:
        return pandas.api.types.is_numeric_dtype(column) and column.dtype != bool
    kinds = {type(value) for value in column if value is not None}
    return kinds <= {int, float, Estimate, Interval}


def as_json(table: pandas.DataFrame) -> str:
    """For who shows the table elsewhere; `read_shown` reads it."""
    return json.dumps(
        {
            "columns": [str(name) for name in table.columns],
            "rows": [[_plain(value) for value in row] for row in _rows(table)],
        },
        ensure_ascii=True,
        allow_nan=False,
    )


def read_shown(content: bytes) -> pandas.DataFrame:
    """The table that `as_json` has written. Raises `ValueError` for anything else."""
    try:
        written = read_json(content)
        rows = [[_value(value) for value in row] for row in written["rows"]]
        return pandas.DataFrame(rows, columns=written["columns"], dtype=object)
    except (KeyError, TypeError) as error:
        raise ValueError(f"no table ({error})") from error


def _plain(value: Any) -> Any:
    if isinstance(value, Estimate):
        return {"mean": _plain(value.mean), **_plain(value.interval)}
    if isinstance(value, Interval):
        return {"low": _plain(value.low), "high": _plain(value.high)}
    if cell(value) == NONE:
        return NONE if isinstance(value, str) else None
    # Those of numpy, too.
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, (str, int)) or math.isfinite(value) else cell(value)


def _value(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    known = {key: float("nan") if end is None else end for key, end in value.items()}
    interval = Interval(known["low"], known["high"])
    return Estimate(known["mean"], interval.low, interval.high) if "mean" in known else interval


def csv(table: pandas.DataFrame) -> str:
    """With all digits; no text of it is a formula in a spreadsheet."""
    written = texts(table, csv_text)
    content = written.to_csv(index=False)
    # Outside of quotes, which it does not get by itself, it would end the row.
    return written.to_csv(index=False, quoting=QUOTE_NONNUMERIC) if "\r" in content else content


def read_csv(path: Path | BinaryIO) -> pandas.DataFrame:
    """What `csv` has written, by its path or opened. Only what is empty is missing: a label may be called `NA`."""
    names = dict.fromkeys(NAMES, str)
    table = pandas.read_csv(path, dtype=names, keep_default_na=False, na_values=[""])
    return with_present_names(texts(table, text_of_csv))


def texts(table: pandas.DataFrame, form: Callable[[str], str]) -> pandas.DataFrame:
    """The table with its texts, and the names of its columns, in another form."""

    def changed(value: Any) -> Any:
        return form(value) if isinstance(value, str) else value

    named = table.rename(columns=changed)
    for position in range(named.shape[1]):
        column = named.iloc[:, position]
        if not pandas.api.types.is_numeric_dtype(column):
            named.isetitem(position, column.map(changed))
    return named


def _rows(table: pandas.DataFrame) -> Any:
    return table.itertuples(index=False, name=None)


def all_formats(
    table: pandas.DataFrame, readable: pandas.DataFrame, caption: str, label: str
) -> dict[str, str]:
    """By the ending of the file that each is for; csv has the whole table."""
    return {
        "csv": csv(table),
        "md": f"{markdown_text(caption)}\n\n{markdown(readable)}",
        "tex": latex(readable, caption, label),
        "json": as_json(readable),
    }


def show(table: pandas.DataFrame) -> None:
    """Print the table without empty columns, and without control characters."""
    shown = texts(table.dropna(axis="columns", how="all"), one_line)
    print(shown.to_string(index=False, float_format="%.3f", na_rep="-"))


def say(text: str) -> None:
    """Prints a sentence on a line of its own."""
    print(one_line(text))


def write_csv(table: pandas.DataFrame, path: Path | None) -> None:
    """Writes the table, where a path was given. Replaces no file but a table of the same columns."""
    if path is None:
        return
    content = csv(table)
    if path.exists() and not _same_columns(path, content):
        raise AnalysisError(
            f"{path}: exists, and is not a table of this command; move it, or give another name"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    except OSError as error:
        raise AnalysisError(f"{path}: cannot be written ({error.strerror})") from error


def _same_columns(path: Path, content: str) -> bool:
    """Whether the file begins with the header of the table."""
    header = content.splitlines(keepends=True)[0].encode()
    try:
        with open(path, "rb") as file:
            return file.read(len(header)) == header
    except OSError:
        # Writing says what is wrong.
        return True


COLUMNS = {
    "untold": "inconclusive",
    "difference of places": "scaled difference",
    "of places": "of scaled",
    "mass place": "mass score",
}
VALUES = {
    "outcome": {"cannot be told": "inconclusive"},
    "reproduced": {"cannot be told": "inconclusive"},
    "scores": {"by size": "by magnitude"},
}
ENDS = ("", " low", " high")


def with_present_names(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with present names of columns and values."""
    # Agreement has a ceiling; faithfulness is between a random and the best order.
    place = {"place": "scaled" if "ceiling" in table else "score"}
    names = {
        f"{old}{end}": f"{new}{end}" for old, new in {**COLUMNS, **place}.items() for end in ENDS
    }
    table = table.rename(columns=names)
    for column, values in VALUES.items():
        if column in table and not pandas.api.types.is_numeric_dtype(table[column]):
            table[column] = table[column].replace(values)
    return table
