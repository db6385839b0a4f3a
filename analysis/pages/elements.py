"""
What the page is made of: sections, with what the table of contents shows and what stands under the
heading; paragraphs, what opens on demand, and tables, in their own box that scrolls. Long tables
show their first rows.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import pandas

from analysis.formats import cell, numeric
from analysis.written import html_text

# Longer tables are cut after the first rows until somebody asks for all.
LONG = 14
FIRST = 10
# With more columns than this a table is printed in smaller letters.
WIDE = 13
# In a table of this many rows, a column that says the same in all of them is said once.
SAME = 4
# A cell of more letters than that is broken into lines.
LINE = 50


class Anchors:
    """Names for the sections of a page: short, safe in HTML and CSS, and no two the same."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, *words: str) -> str:
        """From the words, with a number if another section has the same."""
        base = re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") or "part"
        # An id that begins with a digit cannot be named in CSS.
        base = base if base[0].isalpha() else f"part-{base}"
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}-{number}"
        self._taken.add(name)
        return name


@dataclass(frozen=True)
class Section:
    """
    title : plain text, as everything here but `html`.
    anchor : what links to it call it.
    html : what follows the heading.
    sections : those inside it.
    """

    title: str
    anchor: str
    html: str = ""
    sections: Sequence["Section"] = field(default_factory=tuple)

    def render(self, level: int = 2) -> str:
        """As HTML, with the sections inside it; `level` is that of its heading."""
        inner = "".join(section.render(level + 1) for section in self.sections)
        return (
            f"<section id={self.anchor} class=level{level}>\n"
            f"<h{level} id={self.anchor}-title>{html_text(self.title)}</h{level}>\n"
            f"{self.html}{inner}</section>\n"
        )


def contents(sections: Sequence[Section]) -> str:
    """The list of the sections, with those inside them."""
    lines: list[str] = []
    for section in sections:
        inside = f"\n{contents(section.sections)}" if section.sections else ""
        link = f"<a href=#{section.anchor}>{html_text(section.title)}</a>"
        lines.append(f"<li>{link}{inside}</li>\n")
    return f"<ol>\n{''.join(lines)}</ol>\n"


def paragraph(text: str, kind: str = "") -> str:
    """Escaped; nothing for no text."""
    return f"<p{f' class={kind}' if kind else ''}>{prose(text)}</p>\n" if text else ""


def prose(text: str) -> str:
    """Escaped, with what stands in backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html_text(text))


def collapsed(summary: str, html: str) -> str:
    """The HTML under a line that opens it."""
    return f"<details>\n<summary>{html_text(summary)}</summary>\n{html}</details>\n"


def preformatted(text: str) -> str:
    """Escaped, line by line as it is."""
    return f"<pre>{escape(text)}</pre>\n"


def table_html(table: pandas.DataFrame, anchor: str) -> str:
    """The table that people read as an element of the page; `anchor` is unlike any other's."""
    columns = [cell(name) for name in table.columns]
    right = [numeric(table.iloc[:, position]) for position in range(len(columns))]
    rows = [[cell(value) for value in row] for row in table.itertuples(index=False, name=None)]
    same = _same(columns, right, rows)
    kept = [index for index, name in enumerate(columns) if name not in same]
    columns, right = [columns[index] for index in kept], [right[index] for index in kept]
    rows = [[row[index] for index in kept] for row in rows]
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
    columns: list[str], right: list[bool], rows: list[list[str]], anchor: str, first: int
) -> str:
    """The table itself; all rows but the first `shown` are marked."""
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


def _same_html(same: dict[str, str]) -> str:
    words = "; ".join(f"{name}: {cell}" for name, cell in same.items())
    return f"<p class=note>In all rows: {html_text(words)}.</p>\n" if same else ""


def _same(columns: list[str], right: list[bool], rows: list[list[str]]) -> dict[str, str]:
    """Of the columns of words those with one word only, unless no others are left."""
    if len(rows) < SAME:
        return {}
    same = {
        name: cells[0]
        for name, number, cells in zip(columns, right, zip(*rows, strict=True), strict=True)
        if not number and len(set(cells)) == 1
    }
    return same if len(same) < len(columns) else {}


def _cells(tag: str, cells: list[str], right: list[bool]) -> str:
    name = tag.split()[0]
    return "".join(
        f"<{tag}{_kind(cell, to_the_right)}>{html_text(cell)}</{name}>"
        for cell, to_the_right in zip(cells, right, strict=True)
    )


def _kind(cell: str, to_the_right: bool) -> str:
    if to_the_right:
        return " class=number"
    return " class=sentence" if len(cell) > LINE else ""
