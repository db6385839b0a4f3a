"""Points with their names and intervals both ways, a panel each pair of quantities."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analysis.figures import style
from analysis.figures.labels import along_line, around_marks, draw_labels

Interval = tuple[float, float]


@dataclass(frozen=True)
class Spot:
    """
    name : next to the mark; where all have one, or none, there is nothing next to them.
    series : decides the look; with a `shape`, the colour alone.
    across_interval, up_interval : low and high, NaN where unknown.
    """

    name: str
    series: str
    across: float
    up: float
    across_interval: Interval
    up_interval: Interval
    shape: str = ""


@dataclass(frozen=True)
class Scatter:
    """
    across, up : label the axes; lines stand where chance is, across and at 0 upwards.
    ends : of the axis across (default: where the spots are).
    """

    across: str
    up: str
    spots: Sequence[Spot]
    chance: float = 0.0
    ends: Interval | None = None


def told(panels: Iterable[Scatter]) -> list[Scatter]:
    """Those with two spots or more: one alone shows no relation."""
    return [panel for panel in panels if len(panel.spots) > 1]


def scatters(
    panels: Sequence[Scatter], top: float, widest: int = 2, bottom: float = 0.0, bound: bool = False
) -> Figure:
    """Upwards all values lie between `bottom` and `top`, where a line stands if that is a `bound`."""
    with style.applied():
        figure, _, used = style.panels(len(panels), widest, 0.6, 2.4)
        looks = _looks([spot for panel in panels for spot in panel.spots])
        for one, panel in zip(used, panels, strict=True):
            for spot in panel.spots:
                _draw(one, spot, looks[spot.series, spot.shape])
            one.axvline(panel.chance, color=style.LIGHT_GREY, linewidth=0.6, zorder=0)
            if bottom < 0:
                one.axhline(0, color=style.LIGHT_GREY, linewidth=0.6, zorder=0)
            if bound:
                one.axhline(top, color=style.GREY, linewidth=0.8, linestyle=":", zorder=0)
            one.set_xlabel(style.shown(panel.across))
            one.set_ylabel(style.shown(panel.up))
            one.margins(x=0.15)
            if panel.ends is not None:
                one.set_xlim(*panel.ends)
            one.set_ylim(bottom, top + 0.05 * (top - bottom))
            # More numbers, of three digits and a sign, would touch.
            one.xaxis.set_major_locator(MaxNLocator(5))
        columns = 2 if len(used) == 1 else 4
        if any(shape for _, shape in looks):
            _legend_of_both(figure, looks, columns)
        else:
            style.legend_below(figure, used, columns)
        # One name for all of them says nothing.
        if len({spot.name for panel in panels for spot in panel.spots}) > 1:
            figure.draw_without_rendering()
            for one, panel in zip(used, panels, strict=True):
                _label(one, panel)
    return figure


def _looks(spots: Sequence[Spot]) -> dict[tuple[str, str], dict[str, Any]]:
    """Colours for the series and marks for the shapes; without shapes a series has its own of both."""
    series, shapes = (
        list(dict.fromkeys(getattr(spot, name) for spot in spots)) for name in ("series", "shape")
    )
    looks = {}
    for spot in spots:
        look = style.series(series.index(spot.series))
        if spot.shape:
            look["marker"] = style.series(shapes.index(spot.shape))["marker"]
        looks[spot.series, spot.shape] = {**look, "linestyle": "none"}
    return looks


def _legend_of_both(
    figure: Figure, looks: dict[tuple[str, str], dict[str, Any]], columns: int
) -> None:
    """Each colour and each mark once, which are no spots themselves."""
    named = {
        **{series: {**look, "marker": "_"} for (series, _), look in looks.items()},
        **{shape: {**look, "color": style.GREY} for (_, shape), look in looks.items()},
    }
    handles = [
        Line2D([], [], markeredgewidth=3 if look["marker"] == "_" else 1, **look)
        for look in named.values()
    ]
    names = [style.shown(name) for name in named]
    figure.legend(handles, names, loc="outside lower center", ncols=columns)


def _draw(axes: Axes, spot: Spot, look: dict[str, Any]) -> None:
    if numpy.isnan([*spot.across_interval, *spot.up_interval]).all():
        axes.plot([spot.across], [spot.up], label=style.shown(spot.series), **look)
        return
    errors = [
        numpy.nan_to_num(numpy.abs(numpy.array(interval) - middle))[:, None]
        for interval, middle in ((spot.across_interval, spot.across), (spot.up_interval, spot.up))
    ]
    axes.errorbar(
        [spot.across],
        [spot.up],
        xerr=errors[0],
        yerr=errors[1],
        elinewidth=0.8,
        capsize=2,
        label=style.shown(spot.series),
        **look,
    )


def _label(axes: Axes, panel: Scatter) -> None:
    positions = [(spot.across, spot.up) for spot in panel.spots]
    drawn = list(around_marks(axes, positions))
    for spot in panel.spots:
        left, right = ((end, spot.up) for end in spot.across_interval)
        low, high = ((spot.across, end) for end in spot.up_interval)
        drawn += [*along_line(axes, left, right), *along_line(axes, low, high)]
    draw_labels(axes, zip((spot.name for spot in panel.spots), positions), drawn)
