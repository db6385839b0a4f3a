"""Tables inside the page, in their own box that scrolls; long ones show their first rows."""

from typing import Dict, List

import pandas

from analysis.escaping import html_text
from analysis.formats import cell, numeric

# Longer tables are cut after the first rows until somebody asks for all.
LONG = 14
FIRST = 10
# With more columns than this a table is printed in smaller letters.
WIDE = 13
# In a table of so many rows, a column that says the same in all of them is said once.
SAME = 4


def table_html(table: pandas.DataFrame, anchor: str) -> str:
    """The table that people read as an element of the page; `anchor` is unlike any other's."""
    columns = [cell(name) for name in table.columns]
    right = [numeric(table.iloc[:, place]) for place in range(len(columns))]
    rows = [[cell(value) for value in row] for row in table.itertuples(index=False, name=None)]
    same = _same(columns, right, rows)
    columns, right, *rows = (
        [cell for name, cell in zip(columns, line, strict=True) if name not in same]
        for line in (columns, right, *rows)
    )
    cut = len(rows) > LONG
    box = _same_html(same) + _box(columns, right, rows, anchor, FIRST if cut else len(rows))
    if not rows:
        return f"{box}<p class=note>The table has no rows.</p>\n"
    if not cut:
        return box
    return (
        f"<div class=long>\n<input type=checkbox id={anchor}-all>\n{box}"
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
    return f"<p class=note>In all rows: {html_text(words)}.</p>\n" if same else ""


def _same(columns: List[str], right: List[bool], rows: List[List[str]]) -> Dict[str, str]:
    """Of the columns of words those with one word only, unless no others are left."""
    if len(rows) < SAME:
        return {}
    same = {
        name: cells[0]
        for name, number, cells in zip(columns, right, zip(*rows, strict=True), strict=True)
        if not number and len(set(cells)) == 1
    }
    return same if len(same) < len(columns) else {}


def _cells(tag: str, cells: List[str], right: List[bool]) -> str:
    name = tag.split()[0]
    return "".join(
        f"<{tag}{' class=number' if to_the_right else ''}>{html_text(cell)}</{name}>"
        for cell, to_the_right in zip(cells, right, strict=True)
    )
