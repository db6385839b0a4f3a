"""Panels of dots with intervals beside each other, each with rows, series and an axis of its own."""

from dataclasses import dataclass
from typing import Dict, List, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style
from analysis.figures.dots import INCHES_A_LINE, LEAST, Dot, apart, best_first, draw, leftmost


@dataclass(frozen=True)
class DotPanel:
    """
    label : what the axis across is.
    ticks : where the axis is marked, and what is written there.
    chance : where knowing nothing leads, drawn as a line.
    """

    title: str
    label: str
    dots: Sequence[Dot]
    ticks: Dict[float, str]
    chance: float

    @property
    def series(self) -> List[str]:
        return list(dict.fromkeys(dot.series for dot in self.dots))


def side_by_side(panels: Sequence[DotPanel]) -> Figure:
    """Rows of each panel in the order of their means, the best on top."""
    lines = max(len(best_first(panel.dots)) * len(panel.series) for panel in panels)
    with style.applied():
        width = style.DOUBLE if len(panels) > 1 else style.SINGLE + 0.6
        figure, axes = style.figure(width, 1.1 + INCHES_A_LINE * lines, 1, len(panels))
        for one, panel in zip(axes[0], panels, strict=True):
            _draw(one, panel)
    return figure


def _draw(axes: Axes, panel: DotPanel) -> None:
    rows, series = best_first(panel.dots), panel.series
    for dot in panel.dots:
        if dot.row in rows:
            number = series.index(dot.series)
            draw(axes, dot, rows.index(dot.row) + apart(number, len(series)), number)
    axes.axvline(panel.chance, color=style.GREY, linewidth=0.9, zorder=1)
    axes.axvline(1, color=style.GREY, linewidth=0.8, linestyle=":", zorder=0)
    for between in range(1, len(rows)):
        axes.axhline(between - 0.5, color=style.LIGHT_GREY, linewidth=0.4, zorder=0)
    style.titled(axes, panel.title)
    axes.set_xlabel(style.shown(panel.label))
    axes.set_xticks(list(panel.ticks), list(panel.ticks.values()))
    axes.set_yticks(range(len(rows)), list(map(style.shown, rows)))
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    lowest = min([0.0, *(leftmost(dot.estimate) for dot in panel.dots)])
    axes.set_xlim(max(LEAST, lowest) - 0.04, 1.04)
    handles, labels = axes.get_legend_handles_labels()
    named = dict(zip(labels, handles))
    axes.legend(
        named.values(),
        named.keys(),
        loc="upper center",
        bbox_to_anchor=(0.5, -0.5 / axes.figure.get_figheight()),
        ncols=2,
        columnspacing=1.0,
        handletextpad=0.3,
    )
