"""Estimates on one axis whose parts are answers: on which side of the bounds is each?"""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.written import Estimate

INCHES_A_ROW = 0.2
# What is further out is not drawn to scale: an arrow says so.
LEAST, MOST = -0.5, 1.0
ROOM = 0.04
# The length of the axis, as a multiple of the distance to the last bound, or to what is drawn.
FURTHER = 4
SHADES = ("#E8F1F8", "#FFFFFF", "#FBEDE3")
ANSWERS = ("yes", "partly", "no")

Zone = tuple[float, float, str]


def on_zones(
    rows: Sequence[tuple[str, Estimate]],
    zones: Sequence[Zone],
    label: str,
    marked: str = "",
    marks: Sequence[tuple[float, str]] = (),
) -> Figure:
    """
    zones : next to each other, `(from, to, answer)`; the first and the last go on without end.
    marked : rows of this name, and what follows it after a comma, stand out; all, if none does.
    marks : reference lines on the axis: `(at, name)`.
    """
    with style.applied():
        made, axes = style.figure(style.SINGLE, 0.75 + INCHES_A_ROW * len(rows))
        one = axes[0, 0]
        lowest = min([0.0, *(_end(estimate, estimate.low) for _, estimate in rows)])
        highest = max([zones[-1][0] * FURTHER, *(_end(each, each.high) for _, each in rows)])
        right = min(highest, MOST)
        left, right = max(LEAST, lowest) - ROOM * right, right * (1 + ROOM)
        named = [name.split(",")[0] == marked for name, _ in rows]
        for position, (start, end, answer) in enumerate(zones):
            start = left if position == 0 else start
            end = right if position == len(zones) - 1 else end
            one.axvspan(start, end, color=SHADES[ANSWERS.index(answer)], zorder=0, linewidth=0)
            one.text((start + end) / 2, -0.6, answer, ha="center", va="bottom", fontsize=7)
            if position:
                one.axvline(start, color=style.GREY, linewidth=0.8, zorder=1)
        for at, name in marks:
            if LEAST <= at <= MOST:
                one.axvline(
                    at, color=style.series(1)["color"], linewidth=1, linestyle="--", zorder=2
                )
                text = style.shown(name)
                one.text(at, len(rows) - 0.55, text, ha="center", va="bottom", fontsize=6, zorder=5)
        for down, (_, estimate) in enumerate(rows):
            _draw(one, estimate, down, named[down] or not any(named))
        one.set_yticks(range(len(rows)), [style.shown(name) for name, _ in rows])
        one.set_ylim(len(rows) - 0.5, -0.5)
        one.set_xlim(left, right)
        one.set_xlabel(style.shown(label))
        one.tick_params(axis="y", length=0)
    return made


def _end(estimate: Estimate, end: float) -> float:
    return estimate.mean if math.isnan(end) else end


def _draw(axes: Axes, estimate: Estimate, down: int, stands_out: bool) -> None:
    if math.isnan(estimate.mean):
        return
    look = {**style.series(1 if stands_out else 0), "linestyle": "none"}
    if not LEAST <= estimate.mean <= MOST:
        beyond = estimate.mean > MOST
        position = MOST if beyond else LEAST
        axes.plot(position, down, **{**look, "marker": ">" if beyond else "<"}, zorder=4)
        return
    if estimate.interval.known:
        ends = (max(estimate.low, LEAST), min(estimate.high, MOST))
        axes.plot(ends, (down, down), color=look["color"], linewidth=1.1, zorder=3)
    axes.plot(estimate.mean, down, zorder=4, **look)
