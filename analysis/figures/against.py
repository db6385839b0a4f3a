"""A mean with its interval against a number that was varied, a line a series."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style

# In parts of the axis: what a letter of a tick takes, and what lies between two ticks at least.
LETTER, GAP = 0.025, 0.02


@dataclass(frozen=True)
class Line:
    """Positions along the axis, in rising order, and mean, low and high there."""

    positions: Sequence[float]
    means: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]


def against(
    panels: dict[str, dict[str, Line]],
    across: str,
    up: str,
    widest: int = 3,
    chance: float | None = None,
) -> Figure:
    """Panels by title, each with its lines by name; `chance` is drawn as a horizontal line."""
    with style.applied():
        figure, axes, used = style.panels(len(panels), widest, 0.5, 2.0, sharey=True)
        names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
        for one, (title, lines) in zip(used, panels.items(), strict=True):
            for name, line in lines.items():
                _draw(one, name, line, style.series(names.index(name)))
            style.titled(one, title)
            one.set_xlabel(style.shown(across))
            if chance is not None:
                one.axhline(chance, color=style.GREY, linewidth=0.8, zorder=0)
            _ticks_at_the_data(one, lines)
        for one in axes[:, 0]:
            one.set_ylabel(style.shown(up))
        style.legend_below(figure, used, columns=2 if len(used) == 1 else 4)
    return figure


def _ticks_at_the_data(axes: Axes, lines: dict[str, Line]) -> None:
    """Written where there is room."""
    positions = sorted({position for line in lines.values() for position in line.positions})
    written: list[float] = []
    for position in positions:
        if not written or _have_room(written[-1], position, positions[-1] - positions[0]):
            written.append(position)
    if written[-1] != positions[-1]:
        # The last is more than those next to it.
        while len(written) > 1 and not _have_room(
            written[-1], positions[-1], positions[-1] - positions[0]
        ):
            written.pop()
        written.append(positions[-1])
    axes.set_xticks(
        positions, [f"{position:g}" if position in written else "" for position in positions]
    )


def _have_room(left: float, right: float, axis: float) -> bool:
    letters = (len(f"{left:g}") + len(f"{right:g}")) / 2
    return right - left >= (LETTER * letters + GAP) * axis


def _draw(axes: Axes, name: str, line: Line, look: dict[str, Any]) -> None:
    means = numpy.asarray(line.means)
    errors: tuple[numpy.ndarray, numpy.ndarray] = (
        means - numpy.asarray(line.lows),
        numpy.asarray(line.highs) - means,
    )
    axes.errorbar(
        line.positions,
        means,
        yerr=errors,
        label=style.shown(name),
        capsize=2,
        elinewidth=0.8,
        **look,
    )
