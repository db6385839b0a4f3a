"""Means with their intervals, each on the band that means nothing: is it more than chance?"""

import math
from dataclasses import dataclass
from typing import Iterable, List, Optional, Sequence, Tuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from analysis.figures import style

INCHES_A_LINE = 0.17
HOLLOW = {
    "marker": "D",
    "markersize": 5,
    "markerfacecolor": "none",
    "markeredgecolor": style.BLACK,
    "linestyle": "none",
}


@dataclass(frozen=True)
class Mark:
    """
    panel, row, series : where it stands; `series` is drawn apart within a row.
    interval, chance : low and high; not drawn where they are NaN.
    published : what a paper has, where it has it.
    """

    panel: str
    row: str
    series: str
    mean: float
    interval: Tuple[float, float]
    chance: Tuple[float, float]
    published: Optional[float] = None


def on_chance_bands(marks: Sequence[Mark], label: str) -> Figure:
    """Rows under each other, panels side by side, in the order in which they come."""
    panels = _seen(mark.panel for mark in marks)
    rows = _seen(mark.row for mark in marks)
    series = _seen(mark.series for mark in marks)
    with style.applied():
        lines = len(rows) * len(series)
        figure, axes = style.figure(
            style.DOUBLE, 1.1 + INCHES_A_LINE * lines, 1, len(panels), sharex=True, sharey=True
        )
        for one, panel in zip(axes[0], panels, strict=True):
            for mark in marks:
                if mark.panel == panel:
                    place = rows.index(mark.row) + _apart(series.index(mark.series), len(series))
                    _draw(one, mark, place, series.index(mark.series), len(series))
            style.titled(one, panel)
            one.set_xlabel(style.shown(label))
            one.tick_params(axis="y", length=0)
            one.axvline(0, color=style.GREY, linewidth=0.5, zorder=0)
            for between in range(1, len(rows)):
                one.axhline(between - 0.5, color=style.LIGHT_GREY, linewidth=0.5, zorder=0)
        first = axes[0, 0]
        first.set_yticks(range(len(rows)), list(map(style.shown, rows)))
        first.set_ylim(len(rows) - 0.5, -0.5)
        figure.legend(
            handles=_legend(series, any(mark.published is not None for mark in marks)),
            loc="outside lower center",
            ncols=len(series) + 2,
        )
    return figure


def _draw(axes: Axes, mark: Mark, place: float, number: int, of: int) -> None:
    height = 0.8 / of
    low, high = mark.chance
    if not math.isnan(low):
        # A band that is too narrow to see has its edge.
        band = Rectangle((low, place - height / 2), high - low, height, color=style.BAND, zorder=1)
        band.set_linewidth(1)
        axes.add_patch(band)
    look = style.series(number)
    axes.plot(mark.interval, (place, place), color=look["color"], linewidth=1.2, zorder=3)
    axes.plot(mark.mean, place, zorder=4, **look)
    if mark.published is not None:
        axes.plot(mark.published, place, **HOLLOW, zorder=5)


def _apart(number: int, of: int) -> float:
    """Series side by side within a row that is 1 high."""
    return 0.8 * ((number + 0.5) / of - 0.5)


def _legend(series: Sequence[str], with_published: bool) -> List[object]:
    handles: List[object] = [
        Line2D([], [], label=style.shown(name), **{**style.series(number), "linestyle": "-"})
        for number, name in enumerate(series)
    ]
    handles.append(Patch(facecolor=style.BAND, label="chance: random and permuted scores"))
    if with_published:
        handles.append(Line2D([], [], label="published", **HOLLOW))
    return handles


def _seen(names: Iterable[str]) -> List[str]:
    """Each once, in the order in which they come."""
    return list(dict.fromkeys(names))
