"""
How far attention was moved, against what that cost the output: a curve of models along which
something was varied, and marks of others.
"""

from dataclasses import dataclass, field
from typing import Dict, List, Sequence, Tuple

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style

# Markers that no curve has.
MARKERS = ("^", "s", "P", "X", "*", "v")


@dataclass(frozen=True)
class Points:
    """
    across, up : means; the intervals beside them have low and high each, NaN where unknown.
    labels : what is written at each point.
    """

    across: Sequence[float]
    up: Sequence[float]
    across_intervals: Sequence[Tuple[float, float]] = ()
    up_intervals: Sequence[Tuple[float, float]] = ()
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class Plane:
    """
    curves : joined in the order in which the points come.
    marks : others, by name.
    published : what somebody else found; not joined, as many lie close together.
    """

    title: str
    curves: Dict[str, Points]
    marks: Dict[str, Points] = field(default_factory=dict)
    published: Dict[str, Points] = field(default_factory=dict)


def planes(panels: Sequence[Plane], across: str, up: str, bound: float, widest: int = 3) -> Figure:
    """`bound` is the largest value there can be across, and drawn as a line."""
    with style.applied():
        figure, axes, used = style.panels(len(panels), widest, 0.8, 2.3, sharex=True, sharey=True)
        marks = _names(panel.marks for panel in panels)
        curves = _names(panel.curves for panel in panels)
        for one, panel in zip(used, panels, strict=True):
            for name, points in panel.published.items():
                one.plot(
                    points.across,
                    points.up,
                    "D",
                    color=style.GREY,
                    markerfacecolor="none",
                    markersize=3,
                    label=name,
                    zorder=1,
                )
            for name, points in panel.curves.items():
                look = style.series(curves.index(name))
                _bars(one, points, look["color"])
                one.plot(points.across, points.up, label=name, zorder=3, **look)
                _label(one, points, bound)
            for name, points in panel.marks.items():
                number = marks.index(name)
                colour = style.COLOURS[(number + len(curves)) % len(style.COLOURS)]
                _bars(one, points, colour)
                one.plot(
                    points.across,
                    points.up,
                    linestyle="none",
                    label=name,
                    color=colour,
                    marker=MARKERS[number % len(MARKERS)],
                    markersize=6,
                    zorder=4,
                    markeredgecolor="white",
                    markeredgewidth=0.4,
                )
            one.axvline(bound, color=style.GREY, linewidth=0.6, linestyle=":", zorder=0)
            one.set_title(panel.title)
            one.set_xlabel(across)
        used[0].set_xlim(-0.02, 1.04 * bound)
        # Room for a mark that stands at 0.
        used[0].set_ylim(bottom=-0.03 * used[0].get_ylim()[1])
        for one in axes[:, 0]:
            one.set_ylabel(up)
        style.legend_below(figure, used, columns=2 if len(used) == 1 else 4)
    return figure


def _names(panels: Sequence[Dict[str, Points]]) -> List[str]:
    return list(dict.fromkeys(name for panel in panels for name in panel))


def _bars(axes: Axes, points: Points, colour: str) -> None:
    """Intervals both ways, where they are known."""
    for intervals, values, way in (
        (points.across_intervals, points.across, "xerr"),
        (points.up_intervals, points.up, "yerr"),
    ):
        if not len(intervals):
            continue
        bounds, middle = numpy.asarray(intervals, dtype=float), numpy.asarray(values, dtype=float)
        errors = numpy.nan_to_num(numpy.abs(bounds.T - middle))
        axes.errorbar(
            points.across,
            points.up,
            **{way: errors},
            fmt="none",
            ecolor=colour,
            elinewidth=0.7,
            zorder=2,
        )


def _label(axes: Axes, points: Points, bound: float) -> None:
    # One above, the next below: neighbours lie close together.
    places = zip(points.across, points.up, points.labels)
    for number, (across, up, text) in enumerate(places):
        left = across > 0.8 * bound
        axes.annotate(
            text,
            (across, up),
            fontsize=6,
            textcoords="offset points",
            xytext=(-4 if left else 4, -8 if number % 2 else 4),
            ha="right" if left else "left",
        )
