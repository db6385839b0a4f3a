"""
How far attention was moved, against what that cost the output: a curve of models along which
something was varied, and marks of others.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Dict, Iterator, List, Sequence, Tuple

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from analysis.figures import style

# Markers that no curve has.
MARKERS = ("^", "s", "P", "X", "*", "v")
# In pixels: half the size of a mark, half the width of a line, and how close marks are as good as one.
MARK, LINE, CLOSE = 5, 1, 15
PARTS_OF_A_LINE = 50
# Where a label may stand, in points from its mark; the first of equally good ones is taken.
OFFSETS = tuple((across, up) for up in (4, -9, 10, -15) for across in (4, -4))


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
    """Each label beside its point, where it covers least of points, lines and other labels."""
    taken = list(_drawn(axes, panel))
    for points in panel.curves.values():
        for place, text in _shared_labels(_pixels(axes, points), points.labels):
            label = axes.annotate(
                text,
                axes.transData.inverted().transform(place),
                (0, 0),
                fontsize=6,
                zorder=5,
                textcoords="offset points",
            )
            boxes = {}
            for offset in OFFSETS:
                _place(label, offset)
                boxes[offset] = label.get_window_extent().padded(LINE)
            best = min(OFFSETS, key=lambda offset: _covered(boxes[offset], taken, axes.bbox))
            _place(label, best)
            taken.append(boxes[best])


def _pixels(axes: Axes, points: Points) -> numpy.ndarray:
    return axes.transData.transform(numpy.column_stack([points.across, points.up]))


def _drawn(axes: Axes, panel: Plane) -> Iterator[Bbox]:
    """What labels should not cover: boxes around marks, and along lines."""
    for several in (panel.curves, panel.marks, panel.published):
        for points in several.values():
            for place in _pixels(axes, points):
                yield Bbox.from_extents(*(place - MARK), *(place + MARK))
    for points in panel.curves.values():
        places = _pixels(axes, points)
        for one, other in pairwise(places):
            for share in numpy.linspace(0, 1, PARTS_OF_A_LINE):
                place = one + share * (other - one)
                yield Bbox.from_extents(*(place - LINE), *(place + LINE))
        for up, (low, high) in zip(points.up, points.across_intervals):
            if numpy.isfinite([low, high]).all():
                (left, height), (right, _) = axes.transData.transform([(low, up), (high, up)])
                yield Bbox.from_extents(left, height - LINE, right, height + LINE)


def _shared_labels(
    places: numpy.ndarray, labels: Sequence[str]
) -> Iterator[Tuple[numpy.ndarray, str]]:
    """Of neighbours that lie on each other one label: from the first to the last of them."""
    groups: List[List[int]] = []
    for number in range(len(labels)):
        if groups and numpy.abs(places[number] - places[groups[-1][-1]]).max() < CLOSE:
            groups[-1].append(number)
        else:
            groups.append([number])
    for first, *_, last in ([group[0], group[0], group[-1]] for group in groups):
        text = labels[first] if first == last else f"{labels[first]} to {labels[last]}"
        yield places[last], text


def _place(label: Annotation, offset: Tuple[int, int]) -> None:
    label.set(position=offset, ha="left" if offset[0] > 0 else "right")


def _covered(box: Bbox, taken: Sequence[Bbox], inside: Bbox) -> float:
    """The area of others that a box would cover, and of its own outside."""
    common = [Bbox.intersection(box, other) for other in (inside, *taken)]
    shown, *covered = [0.0 if each is None else each.width * each.height for each in common]
    return sum(covered) + box.width * box.height - shown
