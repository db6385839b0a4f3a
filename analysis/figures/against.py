"""A mean with its interval against a number that was varied, a line a series."""

from dataclasses import dataclass
from typing import Dict, Sequence, Tuple

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis.figures import style


@dataclass(frozen=True)
class Line:
    """Places along the axis, in rising order, and mean, low and high there."""

    places: Sequence[float]
    means: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]


def against(panels: Dict[str, Dict[str, Line]], across: str, up: str, widest: int = 3) -> Figure:
    """Panels by title, each with its lines by name; `across` and `up` label the axes."""
    with style.applied():
        figure, axes, used = style.panels(len(panels), widest, 0.5, 2.0, sharey=True)
        names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
        for one, (title, lines) in zip(used, panels.items(), strict=True):
            for name, line in lines.items():
                _draw(one, name, line, style.series(names.index(name)))
            one.set_title(style.shown(title))
            one.set_xlabel(style.shown(across))
            one.xaxis.set_major_locator(MaxNLocator(5))
            one.xaxis.set_major_formatter("{x:g}")
        for one in axes[:, 0]:
            one.set_ylabel(style.shown(up))
        style.legend_below(figure, used, columns=2 if len(used) == 1 else 4)
    return figure


def _draw(axes: Axes, name: str, line: Line, look: Dict[str, object]) -> None:
    means = numpy.asarray(line.means)
    errors: Tuple[numpy.ndarray, numpy.ndarray] = (
        means - numpy.asarray(line.lows),
        numpy.asarray(line.highs) - means,
    )
    axes.errorbar(
        line.places, means, yerr=errors, label=style.shown(name), capsize=2, elinewidth=0.8, **look
    )
