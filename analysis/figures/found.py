"""A histogram of what a search found, with those it found nothing for as a bar of their own."""

from dataclasses import dataclass
from typing import Dict, Sequence

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.figures import style

BINS = 20


@dataclass(frozen=True)
class Found:
    """
    values : what was found, by series.
    failures : how many texts of each series have nothing.
    """

    title: str
    values: Dict[str, numpy.ndarray]
    failures: Dict[str, int]


def found_histograms(
    panels: Sequence[Found], label: str, failure: str, top: float, widest: int = 2
) -> Figure:
    """Shares of the series' texts; `failure` names the bar of the others, which stands at 0."""
    with style.applied():
        figure, axes, used = style.panels(len(panels), widest, 0.6, 1.9, sharey=True)
        for one, panel in zip(used, panels, strict=True):
            _draw(one, panel, failure, top)
            style.titled(one, panel.title)
            one.set_xlabel(style.shown(label))
        for one in axes[:, 0]:
            one.set_ylabel("share of texts")
        style.legend_below(figure, used, columns=1 if len(used) == 1 else 4)
    return figure


def _draw(axes: Axes, panel: Found, failure: str, top: float) -> None:
    edges = numpy.linspace(0, top, BINS + 1)
    step = edges[1]
    number_of_series = len(panel.values)
    for number, (name, values) in enumerate(panel.values.items()):
        total = len(values) + panel.failures[name]
        if not total:
            continue
        look = style.line(number)
        shares = numpy.full(len(values), 1 / total)
        axes.hist(
            values, edges, weights=shares, histtype="stepfilled", color=look["color"], alpha=0.25
        )
        axes.hist(
            values,
            edges,
            weights=shares,
            histtype="step",
            label=style.shown(name),
            color=look["color"],
            linestyle=look["linestyle"],
        )
        wide = step / number_of_series
        axes.bar(
            -3 * step + wide * (number + 0.5),
            panel.failures[name] / total,
            width=wide,
            color=style.LIGHT_GREY,
            edgecolor=look["color"],
            hatch="///",
        )
    axes.axvline(-step, color=style.GREY, linewidth=0.5)
    axes.set_xlim(-3.5 * step, top)
    # None so near the end that their numbers would touch.
    places = [place for place in numpy.linspace(0, 1, 6) if place < top - 0.1]
    axes.set_xticks([-2.5 * step, *places, top])
    axes.set_xticklabels([failure, *(f"{place:g}" for place in places), f"{top:.2f}"])
