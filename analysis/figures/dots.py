"""Dots with intervals on one axis, a row each of what is compared, the best on top."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.written import Estimate

INCHES_A_LINE = 0.13
# The axis of marks between chance and the best possible.
FROM_CHANCE_TO_BEST = {0.0: "chance", 0.25: "", 0.5: "0.5", 0.75: "", 1.0: "best"}
# Of a row of height 1.
SPREAD = 0.7
# What is further left is not drawn to scale: an arrow says so.
LEAST = -0.5


@dataclass(frozen=True)
class Dot:
    """panel, row, series : where it stands; series are drawn apart within a row."""

    panel: str
    row: str
    series: str
    estimate: Estimate


def dots(
    marks: Sequence[Dot], label: str, ticks: dict[float, str] = FROM_CHANCE_TO_BEST, widest: int = 3
) -> Figure:
    """Rows in the order of their means, with lines at 0 (chance) and 1 (the best)."""
    panels = list(dict.fromkeys(dot.panel for dot in marks))
    series = list(dict.fromkeys(dot.series for dot in marks))
    rows = best_first(marks)
    with style.applied():
        high = 0.35 + max(INCHES_A_LINE * len(series), 0.19) * len(rows)
        figure, _, used = style.panels(len(panels), widest, 0.7, high, sharex=True, sharey=True)
        for one, panel in zip(used, panels, strict=True):
            for dot in marks:
                if dot.panel == panel and not math.isnan(dot.estimate.mean):
                    number = series.index(dot.series)
                    down = rows.index(dot.row) + apart(number, len(series))
                    draw(one, dot, down, number)
            style.titled(one, panel, 8)
            one.set_xlabel(style.shown(label))
            one.axvline(0, color=style.GREY, linewidth=0.8, zorder=0)
            one.axvline(1, color=style.GREY, linewidth=0.8, linestyle=":", zorder=0)
            one.tick_params(axis="y", length=0)
            for between in range(1, len(rows)):
                one.axhline(between - 0.5, color=style.LIGHT_GREY, linewidth=0.4, zorder=0)
        first = used[0]
        first.set_yticks(range(len(rows)), list(map(style.shown, rows)))
        first.set_ylim(len(rows) - 0.5, -0.5)
        lowest = min([0.0, *(leftmost(dot.estimate) for dot in marks)])
        first.set_xticks(list(ticks), list(ticks.values()))
        first.set_xlim(max(LEAST, lowest) - 0.04, 1.04)
        for one in used if len(used) > 1 else ():
            # The last word of a panel would run into the first of the next.
            words = one.get_xticklabels()
            # Above another panel there are none.
            if words:
                words[0].set_horizontalalignment("left")
                words[-1].set_horizontalalignment("right")
        if len(series) > 1:
            style.legend_below(figure, used, columns=len(series))
    return figure


def best_first(marks: Sequence[Dot]) -> list[str]:
    means: dict[str, list[float]] = {}
    for dot in marks:
        if not math.isnan(dot.estimate.mean):
            means.setdefault(dot.row, []).append(dot.estimate.mean)
    return sorted(means, key=lambda row: -sum(means[row]) / len(means[row]))


def leftmost(estimate: Estimate) -> float:
    """The left end of what is drawn."""
    ends = [end for end in (estimate.mean, estimate.low) if not math.isnan(end)]
    return min(ends, default=0.0)


def apart(number: int, of: int) -> float:
    """Series under each other within a row that is 1 high."""
    return SPREAD * ((number + 0.5) / of - 0.5)


def draw(axes: Axes, dot: Dot, down: float, number: int) -> None:
    look = {**style.series(number), "linestyle": "none"}
    estimate = dot.estimate
    if estimate.mean < LEAST:
        # Its position is off the axis: the mark points there.
        axes.plot(LEAST, down, **{**look, "marker": "<"}, zorder=4)
        return
    if estimate.interval.known:
        ends = (max(estimate.low, LEAST), estimate.high)
        axes.plot(ends, (down, down), color=look["color"], linewidth=1.1, zorder=3)
    axes.plot(estimate.mean, down, label=style.shown(dot.series), zorder=4, **look)
