"""Every two methods once: how far they agree, those that agree standing side by side."""

from typing import List, Optional

import numpy
import pandas
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from analysis.figures import style

INCHES_A_CELL = 0.66
# Colours stay pale enough for black print on all but the strongest.
COLOURS = LinearSegmentedColormap.from_list(
    "agreement", [style.VERMILION, "#F7F7F7", style.BLUE], N=256
)
WHITE_PRINT_FROM = 0.75
# A ceiling that differs more from 1 is written.
BOUNDED = 0.005


def agreement_matrix(
    table: pandas.DataFrame, label: str, distance: bool = False, by_place: bool = False
) -> Figure:
    """
    table : one row a pair: `first`, `second`, `mean`, `low`, `high`, its `ceiling` if known, and
        `chance`, true where the mean is no better than chance.
    label : what the shades are.
    distance : the mean is 0 for two that agree.
    by_place : shades are of the `place` between chance and ceiling; else of the mean.
    """
    column = "place" if by_place else "mean"
    table = table.assign(shade=table[column])
    distance = distance and not by_place
    names = clustered(table, distance, column)
    cells = {frozenset((row.first, row.second)): row for row in table.itertuples()}
    shades = numpy.full((len(names), len(names)), numpy.nan)
    drawn = {
        (row, column): cells[frozenset((names[row], names[column]))]
        for row in range(len(names))
        for column in range(row)
        if frozenset((names[row], names[column])) in cells
    }
    for place, cell in drawn.items():
        shades[place] = cell.shade
    # Distances end where the largest does; agreements end at 1.
    end = numpy.nanmax(shades) if distance else 1.0
    with style.applied():
        side = INCHES_A_CELL * len(names)
        figure, axes = style.figure(side + 2.2, side + 1.2)
        one = axes[0, 0]
        # Cells as vectors: a picture of them would be larger than all the rest.
        edges = numpy.arange(len(names) + 1) - 0.5
        image = one.pcolormesh(edges, edges, shades, cmap=COLOURS, vmin=-end, vmax=end)
        # The first has nothing before it to be held against, the last nothing behind it.
        one.set(aspect="equal", xlim=(-0.5, len(names) - 1.5), ylim=(len(names) - 0.5, 0.5))
        for (row, column), cell in drawn.items():
            _annotate(one, row, column, cell, end)
        _name(one, names)
        bar = figure.colorbar(image, ax=one, shrink=0.6, aspect=25)
        bar.set_label(style.shown(f"{label} (0 is the same)" if distance else label))
        bar.outline.set_visible(False)
        if distance:
            bar.ax.set_ylim(0, end)
    return figure


def clustered(table: pandas.DataFrame, distance: bool = False, column: str = "mean") -> List[str]:
    """
    The methods in the order of the leaves of a tree (average linkage of 1 - agreement). As they
    come, if there are fewer than three or some two have not been compared.
    """
    names = list(dict.fromkeys([*table["first"], *table["second"]]))
    apart = _distances(table, names, distance, column)
    if len(names) < 3 or apart is None:
        return names
    tree = linkage(squareform(apart), method="average", optimal_ordering=True)
    return [names[leaf] for leaf in leaves_list(tree)]


def _distances(
    table: pandas.DataFrame, names: List[str], distance: bool, column: str
) -> Optional[numpy.ndarray]:
    apart = numpy.full((len(names), len(names)), numpy.nan)
    numpy.fill_diagonal(apart, 0.0)
    places = {name: place for place, name in enumerate(names)}
    for first, second, agreement in zip(table["first"], table["second"], table[column]):
        value = agreement if distance else 1 - agreement
        apart[places[first], places[second]] = apart[places[second], places[first]] = value
    return None if numpy.isnan(apart).any() else apart


def _annotate(axes: Axes, row: int, column: int, cell: object, end: float) -> None:
    dark = abs(cell.shade) > WHITE_PRINT_FROM * end
    colour = "white" if dark else style.BLACK
    middle = {"ha": "center", "va": "center", "color": colour}
    axes.text(column, row - 0.16, _short(cell.mean), fontsize=8, **middle)
    axes.text(
        column, row + 0.12, f"[{_short(cell.low)}, {_short(cell.high)}]", fontsize=4.8, **middle
    )
    ceiling = getattr(cell, "ceiling", numpy.nan)
    bounded = f"best {_short(ceiling)}" if abs(ceiling - 1) > BOUNDED else ""
    said = ", ".join(filter(None, [bounded, "chance" if cell.chance else ""]))
    if said:
        axes.text(column, row + 0.34, said, fontsize=4.8, style="italic", **middle)


def _short(value: float) -> str:
    """Two digits, and no sign of a zero."""
    return f"{round(value, 2) + 0.0:.2f}"


def _name(axes: Axes, names: List[str]) -> None:
    names = list(map(style.shown, names))
    last = len(names) - 1
    axes.set_xticks(range(last), names[:-1], rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(1, last + 1), names[1:])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(numpy.arange(1, last) - 0.5, minor=True)
    axes.set_yticks(numpy.arange(2, last + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)
