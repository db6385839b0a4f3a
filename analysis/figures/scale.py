"""Dots with intervals on the scale from chance to the best possible, a row a method."""

import math
from dataclasses import dataclass
from typing import List, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.estimate import Estimate
from analysis.figures import style

INCHES_A_LINE = 0.13
TICKS = {0.0: "chance", 0.25: "", 0.5: "0.5", 0.75: "", 1.0: "best"}
# Of a row of height 1.
SPREAD = 0.7
# What is worse than chance by more is not drawn to scale: an arrow says so.
LEAST = -0.5


@dataclass(frozen=True)
class Place:
    """panel, row, series : where it stands; series are drawn apart within a row."""

    panel: str
    row: str
    series: str
    estimate: Estimate


def on_the_scale(places: Sequence[Place], label: str, widest: int = 3) -> Figure:
    """Rows in the order of the mean over all panels and series, the best on top."""
    panels = list(dict.fromkeys(place.panel for place in places))
    series = list(dict.fromkeys(place.series for place in places))
    rows = _best_first(places)
    with style.applied():
        high = 0.35 + max(INCHES_A_LINE * len(series), 0.19) * len(rows)
        figure, _, used = style.panels(len(panels), widest, 0.7, high, sharex=True, sharey=True)
        for one, panel in zip(used, panels, strict=True):
            for place in places:
                if place.panel == panel and not math.isnan(place.estimate.mean):
                    number = series.index(place.series)
                    down = rows.index(place.row) + _apart(number, len(series))
                    _draw(one, place, down, number)
            one.set_title(style.shown(panel), fontsize=8)
            one.set_xlabel(style.shown(label))
            one.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
            one.axvline(1, color=style.GREY, linewidth=0.8, linestyle=":", zorder=0)
            one.tick_params(axis="y", length=0)
            for between in range(1, len(rows)):
                one.axhline(between - 0.5, color=style.LIGHT_GREY, linewidth=0.4, zorder=0)
        first = used[0]
        first.set_yticks(range(len(rows)), list(map(style.shown, rows)))
        first.set_ylim(len(rows) - 0.5, -0.5)
        lowest = min([0.0, *(_low(place.estimate) for place in places)])
        first.set_xlim(max(LEAST, lowest) - 0.04, 1.04)
        first.set_xticks(list(TICKS), list(TICKS.values()))
        if len(series) > 1:
            style.legend_below(figure, used, columns=len(series))
    return figure


def _best_first(places: Sequence[Place]) -> List[str]:
    means = {}
    for place in places:
        if not math.isnan(place.estimate.mean):
            means.setdefault(place.row, []).append(place.estimate.mean)
    return sorted(means, key=lambda row: -sum(means[row]) / len(means[row]))


def _low(estimate: Estimate) -> float:
    """The left end of what is drawn."""
    ends = [end for end in (estimate.mean, estimate.low) if not math.isnan(end)]
    return min(ends, default=0.0)


def _apart(number: int, of: int) -> float:
    """Series under each other within a row that is 1 high."""
    return SPREAD * ((number + 0.5) / of - 0.5)


def _draw(axes: Axes, place: Place, down: float, number: int) -> None:
    look = {**style.series(number), "linestyle": "none"}
    estimate = place.estimate
    if estimate.mean < LEAST:
        # Its place is off the axis: the mark points there.
        axes.plot(LEAST, down, **{**look, "marker": "<"}, zorder=4)
        return
    if estimate.interval.known:
        ends = (max(estimate.low, LEAST), estimate.high)
        axes.plot(ends, (down, down), color=look["color"], linewidth=1.1, zorder=3)
    axes.plot(estimate.mean, down, label=style.shown(place.series), zorder=4, **look)
