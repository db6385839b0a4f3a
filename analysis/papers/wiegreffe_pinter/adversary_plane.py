"""
Wiegreffe & Pinter 2019, Figure 5: how far adversaries of increasing lambda move attention and output, compared with
another seed, uniform attention, and an adversary that is searched per text.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

import numpy
import pandas
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from analysis.agreement.agreement_table import OVERALL
from analysis.errors import AnalysisError
from analysis.figures import style
from analysis.figures.labels import Point, along_line, around_marks, draw_labels, pixels
from analysis.output import Output
from analysis.papers.shared.adversary_rows import DOUBLED_TVD, METRICS, NO_ADVERSARY, adversary_rows
from analysis.papers.shared.divergence import BOUND, Divergence
from analysis.papers.shared.families import ModelFamily, families
from analysis.papers.shared.study_files import StudyFiles
from analysis.papers.wiegreffe_pinter.adversaries import published_curve
from analysis.papers.wiegreffe_pinter.plane_numbers import (
    FEWER,
    add_curves,
    add_marks,
    moved_by_adversaries,
    moved_by_fewer,
    moved_by_others,
)
from analysis.statistics.intervals import ABOUT_INTERVALS
from attention_explain.errors import InputError

# Markers that curves do not use.
MARKERS = ("^", "s", "P", "X", "*", "v")
# Points closer than this number of pixels share a label.
CLOSE = 25


@dataclass(frozen=True)
class Points:
    """
    Means with their intervals.

    across, up : means; their intervals are pairs of low and high, NaN where unknown.
    labels : the label of each point.
    """

    across: Sequence[float]
    up: Sequence[float]
    across_intervals: Sequence[tuple[float, float]] = ()
    up_intervals: Sequence[tuple[float, float]] = ()
    labels: Sequence[str] = ()

    @property
    def positions(self) -> list[Point]:
        return list(zip(self.across, self.up, strict=True))


@dataclass(frozen=True)
class Plane:
    """
    A panel of the figure.

    curves : points that are joined in their order.
    marks : single points, by name.
    published : published points; not joined, as many are close to each other.
    """

    title: str
    curves: dict[str, Points]
    marks: dict[str, Points] = field(default_factory=dict)
    published: dict[str, Points] = field(default_factory=dict)


def planes(panels: Sequence[Plane], across: str, up: str, bound: float, widest: int = 3) -> Figure:
    """A figure of planes; `bound`, the largest possible value across, is drawn as a line."""
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
        # Positions are known only after the layout.
        figure.draw_without_rendering()
        for one, panel in zip(used, panels, strict=True):
            _label(one, panel)
    return figure


def _names(panels: Iterable[dict[str, Points]]) -> list[str]:
    return list(dict.fromkeys(name for panel in panels for name in panel))


def _bars(axes: Axes, points: Points, colour: str) -> None:
    """Draw the known intervals in both directions."""
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
    draw_labels(axes, chain.from_iterable(labels), _drawn(axes, panel))


def _drawn(axes: Axes, panel: Plane) -> Iterator[Bbox]:
    """What labels should not cover."""
    for several in (panel.curves, panel.marks, panel.published):
        for points in several.values():
            yield from around_marks(axes, points.positions)
    for points in panel.curves.values():
        for one, other in pairwise(points.positions):
            yield from along_line(axes, one, other)
    for points in (*panel.curves.values(), *panel.marks.values()):
        for up, (low, high) in zip(points.up, points.across_intervals):
            yield from along_line(axes, (low, up), (high, up))
        for across, (low, high) in zip(points.across, points.up_intervals):
            yield from along_line(axes, (across, low), (across, high))


def _shared_labels(axes: Axes, points: Points) -> Iterator[tuple[str, Point]]:
    """One label for neighbours that overlap, at the middle one: from the first to the last of them."""
    positions = pixels(axes, points.positions)
    groups: list[list[int]] = []
    for number in range(len(points.labels)):
        if (
            groups
            and numpy.abs(positions[number] - positions[groups[-1]]).max(axis=1).min() < CLOSE
        ):
            groups[-1].append(number)
        else:
            groups.append([number])
    for group in groups:
        ends = dict.fromkeys([points.labels[group[0]], points.labels[group[-1]]])
        yield " to ".join(ends), points.positions[group[len(group) // 2]]


NAME = "wiegreffe-pinter-plane"
CURVES = {False: "adversaries", True: "frozen adversaries"}
ACROSS, UP = "attention moved (JSD, nats)", "output moved (TVD)"
FIGURE_NOTE = (
    "At each adversary its lambda; those that are compared with fewer bases than the others are not joined, and stand in the table alone. "
    f"Lines at the points: interval of the mean. {ABOUT_INTERVALS} "
    "Published values of TVD are doubled, as the published code halves the distance once "
    "more. The dotted line is the largest JSD there can be."
)


def plane(study: StudyFiles, output: Output) -> str | None:
    """Add a figure per model and the tables of numbers; return a sentence on what is left out."""
    attacked, left_out = families(study)
    attacked = [family for family in attacked if family.adversaries]
    for family in attacked:
        output.figure(
            f"{NAME}-{family.key}",
            planes(_panels(family), ACROSS, UP, BOUND),
            "Mean distance of attention and of output from the base, for adversaries of different "
            f"lambda and for other models, overall and by the base's class. {family.described}.",
            FIGURE_NOTE,
        )
    reported = _reported(study)
    if reported:
        output.figure(
            f"{NAME}-runs",
            planes(reported, ACROSS, UP, BOUND),
            "Mean distance of attention and of output from the base, as the training runs of "
            f"adversaries report it. {', '.join(panel.title for panel in reported)}.",
            FIGURE_NOTE,
        )
    if not attacked and not reported:
        raise AnalysisError(left_out or NO_ADVERSARY)
    add_marks(attacked, output)
    add_curves(attacked, output)
    return left_out


def _panels(family: ModelFamily) -> list[Plane]:
    moved, others = moved_by_adversaries(family), moved_by_others(family)
    fewer = moved_by_fewer(family)
    others.update({FEWER: fewer} if fewer else {})
    theirs = published_curve(family.base.model.corpus, family.name)
    return [
        Plane(
            title=name if name == OVERALL else f"predicted {name}",
            curves={
                CURVES[frozen]: _points(
                    [one.of_class(name) for _, one in steps], [lambda_ for lambda_, _ in steps]
                )
                for frozen, steps in moved.items()
            },
            marks={
                title: _points([one.of_class(name) for one in several])
                for title, several in others.items()
            },
            published={"published (TVD doubled)": _table_points(theirs, "published ")}
            if name == OVERALL and len(theirs)
            else {},
        )
        for name in (OVERALL, *sorted({str(one) for one in family.base.table["predicted"]}))
    ]


def _points(moved: Sequence[Divergence], lambdas: Sequence[float] = ()) -> Points:
    rows = [one.rows() for one in moved]
    return Points(
        across=[row["jsd"] for row in rows],
        up=[row["tvd"] for row in rows],
        across_intervals=[_interval(row, "jsd") for row in rows],
        up_intervals=[_interval(row, "tvd") for row in rows],
        labels=[f"{lambda_:g}" for lambda_ in lambdas],
    )


def _interval(row: dict[str, Any], name: str) -> tuple[float, float]:
    return row[f"{name} low"], row[f"{name} high"]


def _table_points(table: pandas.DataFrame, prefix: str = "") -> Points:
    """Points without intervals, in the order of lambda."""
    labels = [] if prefix else [f"{value:g}" for value in table["lambda"]]
    tvd = DOUBLED_TVD if prefix else "tvd"
    return Points(table[f"{prefix}jsd"].tolist(), table[tvd].tolist(), labels=labels)


def _reported(study: StudyFiles) -> list[Plane]:
    """Panels of runs without attribution files."""
    try:
        table, _ = adversary_rows(study)
    except InputError:
        return []
    table = table[table["from"] == METRICS]
    return [
        Plane(
            title=f"{corpus}, {model}",
            curves={
                CURVES[frozen]: _table_points(steps) for frozen, steps in rows.groupby("frozen")
            },
        )
        for (corpus, model), rows in table.groupby(["corpus", "model"], sort=False)
    ]
