"""Tables inside the page, in their own box that scrolls; long ones show their first rows."""

import re
from html import escape
from typing import Dict, List, Tuple

from analysis.escaping import plain_text

# Longer tables are cut after the first rows until somebody asks for all.
LONG = 14
FIRST = 10
# With more columns than this a table is printed in smaller letters.
WIDE = 13
# A number, also with its interval; what is not there is a dash.
NUMBER = re.compile(r"([-+]?[\d.]+%? ?)?(\[[-+\d., ]*\])?|-")
# In a table of so many rows, a column that says the same in all of them is said once.
SAME = 4


def table_html(markdown: str, anchor: str) -> str:
    """From the Markdown of a table, which has the extract and the digits that people read."""
    columns, marked, rows = parse(markdown)
    right = _numbers(marked, rows)
    same = _same(columns, right, rows)
    columns, right, *rows = (
        [cell for name, cell in zip(columns, line, strict=True) if name not in same]
        for line in (columns, right, *rows)
    )
    cut = len(rows) > LONG
    table = _same_html(same) + _box(columns, right, rows, anchor, FIRST if cut else len(rows))
    if not rows:
        return f"{table}<p class=note>The table has no rows.</p>\n"
    if not cut:
        return table
    return (
        f"<div class=long>\n<input type=checkbox id={anchor}-all>\n{table}"
        f"<label for={anchor}-all><span class=closed>Show all {len(rows)} rows</span>"
        f"<span class=opened>Show the first {FIRST} rows only</span></label>\n</div>\n"
    )


def _box(
    columns: List[str], right: List[bool], rows: List[List[str]], anchor: str, first: int
) -> str:
    """The table itself; all rows but the first so many are marked."""
    kind = "scroll wide" if len(columns) > WIDE else "scroll"
    body = "".join(
        f"<tr{' class=more' if number >= first else ''}>{_cells('td', row, right)}</tr>\n"
        for number, row in enumerate(rows)
    )
    return (
        # A box that scrolls must be reached by the keyboard, too.
        f'<div class="{kind}" tabindex=0 role=region aria-labelledby={anchor}-title>\n<table>\n'
        f"<thead><tr>{_cells('th scope=col', columns, right)}</tr></thead>\n"
        f"<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def _same_html(same: Dict[str, str]) -> str:
    words = "; ".join(f"{name}: {cell}" for name, cell in same.items())
    return f"<p class=note>In all rows: {escape(words)}.</p>\n" if same else ""


def _same(columns: List[str], right: List[bool], rows: List[List[str]]) -> Dict[str, str]:
    """Of the columns of words those with one word only, unless no others are left."""
    if len(rows) < SAME:
        return {}
    found = {
        name: cells[0]
        for name, number, cells in zip(columns, right, zip(*rows, strict=True), strict=True)
        if not number and len(set(cells)) == 1
    }
    return found if len(found) < len(columns) else {}


def parse(markdown: str) -> Tuple[List[str], List[bool], List[List[str]]]:
    """Names of the columns, whether each stands to the right, and the rows."""
    lines = [_split(line) for line in markdown.split("\n") if line.startswith("|")]
    columns, rule, *rows = lines
    return columns, [mark.endswith(":") for mark in rule], rows


def _numbers(right: List[bool], rows: List[List[str]]) -> List[bool]:
    """Those to the right, and columns of numbers with their intervals, which are text to pandas."""
    cells_of = zip(*rows, strict=True) if rows else [()] * len(right)
    return [
        marked or (any("[" in cell for cell in cells) and all(map(NUMBER.fullmatch, cells)))
        for marked, cells in zip(right, cells_of, strict=True)
    ]


def _split(line: str) -> List[str]:
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [plain_text(cell.strip()) for cell in re.split(r"(?<!\\)\|", inner)]


def _cells(tag: str, cells: List[str], right: List[bool]) -> str:
    name = tag.split()[0]
    return "".join(
        f"<{tag}{' class=number' if to_the_right else ''}>{escape(cell)}</{name}>"
        for cell, to_the_right in zip(cells, right, strict=True)
    )
