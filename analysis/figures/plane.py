"""
How far attention was moved, against what that cost the output: a curve of models along which
something was varied, and marks of others.
"""

from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Dict, Iterator, List, Sequence, Tuple

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from analysis.figures import style
from analysis.figures.labels import Place, along_line, around_marks, pixels, place_labels

# Markers that no curve has.
MARKERS = ("^", "s", "P", "X", "*", "v")
# Marks that are closer than so many pixels are as good as one.
CLOSE = 25


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

    @property
    def places(self) -> List[Place]:
        return list(zip(self.across, self.up, strict=True))


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
                    label=style.shown(name),
                    zorder=1,
                )
            for name, points in panel.curves.items():
                look = style.series(curves.index(name))
                _bars(one, points, look["color"])
                one.plot(points.across, points.up, label=style.shown(name), zorder=3, **look)
            for name, points in panel.marks.items():
                number = marks.index(name)
                colour = style.COLOURS[(number + len(curves)) % len(style.COLOURS)]
                _bars(one, points, colour)
                one.plot(
                    points.across,
                    points.up,
                    linestyle="none",
                    label=style.shown(name),
                    color=colour,
                    marker=MARKERS[number % len(MARKERS)],
                    markersize=6,
                    zorder=4,
                    markeredgecolor="white",
                    markeredgewidth=0.4,
                )
            one.axvline(bound, color=style.GREY, linewidth=0.6, linestyle=":", zorder=0)
            style.titled(one, panel.title)
            one.set_xlabel(style.shown(across))
        used[0].set_xlim(-0.02, 1.04 * bound)
        # Room for a mark that stands at 0.
        used[0].set_ylim(bottom=-0.03 * used[0].get_ylim()[1])
        for one in axes[:, 0]:
            one.set_ylabel(style.shown(up))
        style.legend_below(figure, used, columns=2 if len(used) == 1 else 4)
        # Where things are is known only once they have been laid out.
        figure.draw_without_rendering()
        for one, panel in zip(used, panels, strict=True):
            _label(one, panel)
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


def _label(axes: Axes, panel: Plane) -> None:
    labels = (_shared_labels(axes, points) for points in panel.curves.values())
    place_labels(axes, chain.from_iterable(labels), _drawn(axes, panel))


def _drawn(axes: Axes, panel: Plane) -> Iterator[Bbox]:
    """What labels should not cover."""
    for several in (panel.curves, panel.marks, panel.published):
        for points in several.values():
            yield from around_marks(axes, points.places)
    for points in panel.curves.values():
        for one, other in pairwise(points.places):
            yield from along_line(axes, one, other)
    for points in (*panel.curves.values(), *panel.marks.values()):
        for up, (low, high) in zip(points.up, points.across_intervals):
            yield from along_line(axes, (low, up), (high, up))
        for across, (low, high) in zip(points.across, points.up_intervals):
            yield from along_line(axes, (across, low), (across, high))


def _shared_labels(axes: Axes, points: Points) -> Iterator[Tuple[str, Place]]:
    """
    Of neighbours that lie on each other one label, at the one in the middle: from the first to the last of them.
    """
    places = pixels(axes, points.places)
    groups: List[List[int]] = []
    for number in range(len(points.labels)):
        if groups and numpy.abs(places[number] - places[groups[-1]]).max(axis=1).min() < CLOSE:
            groups[-1].append(number)
        else:
            groups.append([number])
    for group in groups:
        ends = dict.fromkeys([points.labels[group[0]], points.labels[group[-1]]])
        yield " to ".join(ends), points.places[group[len(group) // 2]]
