"""
How every figure looks: the widths of a printed page, one font, colours that colour-blind readers
can tell apart, and a line and a marker to each colour, so that grey paper is enough. Figures are
made without pyplot, so nothing is shared between two of them.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import figure_files
from analysis.written import one_line

# With the rest of the style under one name.
RC, applied, saved = figure_files.RC, figure_files.applied, figure_files.saved

# Inches: one column of a page of two, and the whole page.
SINGLE = 3.4
DOUBLE = 7.0

POINTS_AN_INCH = 72
# The share of its cell that a panel is wide, next to the labels of its axis; the width of a letter, on average, as a share of its size.
OF_A_PANEL, WIDTH_OF_A_LETTER = 0.85, 0.58

# Okabe & Ito's colours.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
# What is there to compare with, and is no finding itself.
GREY = "#7F7F7F"
BAND = "#BDBDBD"
LIGHT_GREY = "#D9D9D9"

# The first series of a figure, the second, ...; yellow is too pale for a line.
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)), (0, (8, 2)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def shown(name: str) -> str:
    """A name of the data on one line, also in legends, which skip a leading underscore."""
    line = one_line(name)
    return f" {line}" if line.startswith("_") else line


def figure(
    width: float, height: float, rows: int = 1, columns: int = 1, **subplots: Any
) -> tuple[Figure, numpy.ndarray]:
    """
    A figure and its axes, always as an array. Shape: (rows, columns)
    `subplots` goes to `Figure.subplots`. To be called, and drawn on, inside `applied()`.
    """
    made = Figure(figsize=(width, height), layout="constrained")
    return made, made.subplots(rows, columns, squeeze=False, **subplots)


def panels(
    number: int, widest: int, above: float, each: float, **subplots: Any
) -> tuple[Figure, numpy.ndarray, list[Axes]]:
    """
    A figure of N panels, its axes, and those of them that are used. It is as wide as a column
    for one panel and as the page for more; a row is `each` inches high, with `above` for the rest.
    """
    rows, columns = grid_of(number, widest)
    width = SINGLE if columns == 1 else DOUBLE
    made, axes = figure(width, above + each * rows, rows, columns, **subplots)
    return made, axes, hide_unused(axes, number)


def series(number: int) -> dict[str, Any]:
    """Colour, line and marker of a figure's n-th series, for `Axes.plot`."""
    position = number % len(COLOURS)
    return {"color": COLOURS[position], "linestyle": LINES[position], "marker": MARKERS[position]}


def line(number: int) -> dict[str, Any]:
    """The same without the marker, for lines of many points."""
    return {**series(number), "marker": None}


def legend_below(made: Figure, axes: Sequence[Axes], columns: int) -> None:
    """One legend for all panels, under them, each name once."""
    named: dict[str, Any] = {}
    for one in axes:
        handles, labels = one.get_legend_handles_labels()
        for handle, label in zip(handles, labels, strict=True):
            named.setdefault(label, handle)
    made.legend(list(named.values()), list(named), loc="outside lower center", ncols=columns)


def titled(axes: Axes, name: str, size: float = RC["axes.titlesize"]) -> None:
    """A title of its own for one of several panels: in lines that reach into no other's."""
    axes.set_title(in_lines(axes, name, size), fontsize=size)


def in_lines(axes: Axes, text: str, size: float, parts: int = 1) -> str:
    """Lines that fit where a panel is shared by N texts."""
    grid = axes.get_gridspec()
    columns = grid.ncols if grid is not None else 1
    points = figure_of(axes).get_figwidth() / columns * POINTS_AN_INCH
    letters = max(1, int(OF_A_PANEL * points / parts / (WIDTH_OF_A_LETTER * size)))
    return "\n".join(wrap(shown(text), letters)) or shown(text)


def figure_of(axes: Axes) -> Figure:
    """The figure of a panel; there are no nested figures."""
    assert isinstance(axes.figure, Figure)
    return axes.figure


def grid_of(number: int, widest: int) -> tuple[int, int]:
    """Rows and columns that hold N panels."""
    columns = min(number, widest)
    return -(-number // columns), columns


def hide_unused(axes: numpy.ndarray, used: int) -> list[Axes]:
    """The first axes; the others are not drawn, and shared numbers move to the panel above."""
    every, columns = list(axes.flat), axes.shape[-1]
    for position, unused in enumerate(every[used:], used):
        unused.set_visible(False)
        if position >= columns:
            every[position - columns].xaxis.set_tick_params(labelbottom=True)
    return every[:used]
