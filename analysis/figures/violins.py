"""Distributions of values by group: violins side by side, a series each, with their medians."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from analysis.figures import style

# A density of fewer values would be made up; they are drawn one by one.
LEAST = 8
POINTS = 80


@dataclass(frozen=True)
class Violins:
    """groups : for each series the values of each group, by name; NaN is left out."""

    title: str
    groups: dict[str, dict[str, numpy.ndarray]]


def violins(
    panels: Sequence[Violins],
    across: str,
    up: str,
    top: float | None = None,
    widest: int = 2,
    legend: bool = True,
) -> Figure:
    """
    Groups stand side by side in the order of the first series; `across` says what they are, `up`
    what the values are, which lie between 0 and `top`, or the largest there is. Below each group is
    its number of values.
    """
    with style.applied():
        figure, axes, used = style.panels(len(panels), widest, 0.6, 2.1, sharey=True)
        names = list(dict.fromkeys(name for panel in panels for name in panel.groups))
        for one, panel in zip(used, panels, strict=True):
            _draw(one, panel, names)
            style.titled(one, panel.title)
            one.set_xlabel(style.shown(across))
        top = _largest(panels) if top is None else top
        used[0].set_ylim(-0.02 * top, 1.02 * top)
        for one in axes[:, 0]:
            one.set_ylabel(style.shown(up))
        if legend:
            handles = [
                Patch(
                    facecolor=colour(number),
                    hatch=HATCHES[number % 4],
                    label=style.shown(name),
                    alpha=0.6,
                )
                for number, name in enumerate(names)
            ]
            figure.legend(handles=handles, loc="outside lower center", ncols=min(len(names), 4))
    return figure


# So that grey paper is enough. Lines, since of dots svg has each with all of its curves.
HATCHES = ("", "////", "\\\\\\\\", "----")
# Of more series the numbers of values would not stand side by side.
MOST_COUNTS = 2


def colour(number: int) -> str:
    return style.COLOURS[number % len(style.COLOURS)]


def _largest(panels: Sequence[Violins]) -> float:
    every = [
        values[numpy.isfinite(values)]
        for panel in panels
        for groups in panel.groups.values()
        for values in groups.values()
    ]
    return max((float(values.max()) for values in every if len(values)), default=0.0) or 1.0


def _draw(axes: Axes, panel: Violins, names: Sequence[str]) -> None:
    groups = list(dict.fromkeys(group for series in panel.groups.values() for group in series))
    counts: list[list[int]] = [[] for _ in groups]
    for number, name in enumerate(names):
        for position, group in enumerate(groups):
            values = panel.groups.get(name, {}).get(group, numpy.empty(0))
            values = values[numpy.isfinite(values)]
            counts[position].append(len(values))
            middle = position + 0.8 * ((number + 0.5) / len(names) - 0.5)
            _one(axes, values, middle, 0.72 / len(names), number)
    named = [
        style.in_lines(axes, group, style.RC["xtick.labelsize"], len(groups)) for group in groups
    ]
    # The numbers stand in one line.
    lines = max((name.count("\n") for name in named), default=0)
    labels = [
        name + "\n" * (1 + lines - name.count("\n")) + _counted(count)
        for name, count in zip(named, counts, strict=True)
    ]
    axes.set_xticks(range(len(groups)), labels)
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.tick_params(axis="x", length=0)


def _counted(counts: Sequence[int]) -> str:
    """Of each series, or of many together."""
    return " + ".join(map(str, counts)) if len(counts) <= MOST_COUNTS else str(sum(counts))


def _one(axes: Axes, values: numpy.ndarray, middle: float, width: float, number: int) -> None:
    look: dict[str, Any] = {"color": colour(number)}
    # Of many series, marks do not reach into the next.
    scale = min(1.0, 4 * width)
    if len(values) >= LEAST and numpy.ptp(values) > 1e-9:
        drawn: dict[str, Any] = axes.violinplot(
            values, [middle], widths=width, points=POINTS, showextrema=False, bw_method="scott"
        )
        for body in drawn["bodies"]:
            # A kernel reaches beyond the values; no value does.
            path = body.get_paths()[0].vertices
            path[:, 1] = path[:, 1].clip(values.min(), values.max())
            body.set(facecolor=look["color"], edgecolor="black", linewidth=0.4, alpha=0.6)
            body.set_hatch(HATCHES[number % 4])
        low, high = numpy.quantile(values, [0.25, 0.75])
        look_of_bar: dict[str, Any] = {"color": "black", "solid_capstyle": "butt"}
        axes.plot([middle, middle], [low, high], linewidth=2 * scale, **look_of_bar)
    elif len(values):
        axes.plot([middle] * len(values), values, linestyle="none", marker=".", **look)
    if len(values):
        median = numpy.median(values)
        mark: dict[str, Any] = {"markeredgecolor": "black", "markeredgewidth": 1.2 * scale}
        axes.plot(middle, median, marker="_", markersize=9 * scale, **mark)
        axes.plot(middle, median, marker="o", markersize=3 * scale, color="white", **mark)
