"""A table as csv, Markdown and LaTeX: the same numbers, in the form each reader wants."""

from typing import Any, Callable, Dict

import pandas

# Digits of a number in the tables for people; csv keeps all of them.
DIGITS = 3
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def markdown(table: pandas.DataFrame) -> str:
    """A pipe table, numbers to the right."""
    header = _row(table.columns, _markdown_cell)
    rule = "|" + "|".join("---:" if numeric(table[name]) else "---" for name in table) + "|\n"
    return header + rule + "".join(_row(row, _markdown_cell) for row in _rows(table))


def latex(table: pandas.DataFrame, caption: str, label: str) -> str:
    """For `\\input`, with the rules of the booktabs package."""
    columns = "".join("r" if numeric(table[name]) else "l" for name in table)

    def line(cells: Any) -> str:
        return " & ".join(map(_latex_cell, cells)) + r" \\" + "\n"

    return (
        "\\begin{table}\n\\centering\n"
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        + line(table.columns)
        + "\\midrule\n"
        + "".join(map(line, _rows(table)))
        + "\\bottomrule\n\\end{tabular}\n"
        f"\\caption{{{escape_latex(caption)}}}\n\\label{{{label}}}\n\\end{{table}}\n"
    )


def cell(value: Any) -> str:
    """A value as people read it; what is not there is a dash."""
    if value is None or (pandas.api.types.is_scalar(value) and pandas.isna(value)):
        return "-"
    if isinstance(value, float):
        # Without the sign of a zero.
        return f"{round(value, DIGITS) + 0.0:.{DIGITS}f}"
    return str(value)


def numeric(column: pandas.Series) -> bool:
    return pandas.api.types.is_numeric_dtype(column) and column.dtype != bool


def escape_latex(text: str) -> str:
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)


def _rows(table: pandas.DataFrame) -> Any:
    return table.itertuples(index=False, name=None)


def _row(cells: Any, form: Callable[[Any], str]) -> str:
    return "| " + " | ".join(map(form, cells)) + " |\n"


def _markdown_cell(value: Any) -> str:
    return cell(value).replace("|", "\\|").replace("\n", " ")


def _latex_cell(value: Any) -> str:
    return escape_latex(cell(value))


def all_formats(
    table: pandas.DataFrame, readable: pandas.DataFrame, caption: str, label: str
) -> Dict[str, str]:
    """By the ending of the file that each is for; csv has the whole table."""
    return {
        "csv": table.to_csv(index=False),
        "md": f"{caption}\n\n{markdown(readable)}",
        "tex": latex(readable, caption, label),
    }
