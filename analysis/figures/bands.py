"""Curves with bands, a panel each model; what the others are compared with is black."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style

# The ends of a scale, and no finding: black, each with its own line.
ENDS = ((0, (1, 1)), "-")
# A curve of no more positions has a tick at each.
MOST_TICKS = 6


@dataclass(frozen=True)
class Band:
    """`end` : whether it is there to compare with."""

    name: str
    positions: numpy.ndarray
    means: numpy.ndarray
    lows: numpy.ndarray
    highs: numpy.ndarray
    end: bool = False


@dataclass(frozen=True)
class BandPanel:
    title: str
    bands: Sequence[Band]


def bands(panels: Sequence[BandPanel], across: str, up: str, widest: int = 3) -> Figure:
    """`across` and `up` label the axes."""
    with style.applied():
        figure, axes, used = style.panels(len(panels), widest, 0.9, 2.2, sharex=True, sharey=True)
        looks = _looks(panels)
        for one, panel in zip(used, panels, strict=True):
            for band in panel.bands:
                _draw(one, band, looks[band.name])
            style.titled(one, panel.title)
            one.set_xlabel(style.shown(across))
            one.margins(x=0.01)
            positions = sorted({position for band in panel.bands for position in band.positions})
            if len(positions) <= MOST_TICKS:
                one.set_xticks(positions, [f"{position:g}" for position in positions])
        for one in axes[:, 0]:
            one.set_ylabel(style.shown(up))
        style.legend_below(figure, used, columns=2 if len(used) == 1 else 4)
    return figure


def _looks(panels: Sequence[BandPanel]) -> dict[str, dict[str, Any]]:
    every = [band for panel in panels for band in panel.bands]
    names = list(dict.fromkeys(band.name for band in every if not band.end))
    ends = list(dict.fromkeys(band.name for band in every if band.end))
    looks: dict[str, dict[str, Any]] = {
        # As many as there are colours have a line each; then the lines change.
        name: {
            "color": style.COLOURS[number % (len(style.COLOURS) - 1)],
            "linestyle": style.LINES[number % len(style.LINES)],
        }
        for number, name in enumerate(names)
    }
    for number, name in enumerate(ends):
        looks[name] = {"color": style.BLACK, "linestyle": ENDS[number % len(ENDS)]}
    return looks


def _draw(axes: Axes, band: Band, look: dict[str, Any]) -> None:
    axes.fill_between(
        band.positions, band.lows, band.highs, color=look["color"], alpha=0.12, linewidth=0
    )
    axes.plot(band.positions, band.means, label=style.shown(band.name), **look)
