"""How values a text are distributed: histograms and densities, a control behind them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy.stats import gaussian_kde

from analysis.figures import style

BINS = 20
POINTS = 400
# Of the lowest panel's top.
MOST_TIMES_HIGHER = 4


@dataclass(frozen=True)
class DensityPanel:
    """
    series : the values of each distribution, by its name in the legend; NaN is left out.
    control : values of a comparison that means nothing.
    """

    title: str
    series: dict[str, numpy.ndarray]
    control: numpy.ndarray | None = None


def densities(
    panels: Sequence[DensityPanel],
    label: str,
    span: tuple[float, float] = (-1.0, 1.0),
    histograms: bool = True,
    widest: int = 2,
) -> Figure:
    """One panel each; `label` names the values, `span` their bounds."""
    with style.applied():
        alike = _alike_high(panels, span)
        figure, axes, used = style.panels(len(panels), widest, 0.5, 1.8, sharex=True, sharey=alike)
        names = list(dict.fromkeys(name for panel in panels for name in panel.series))
        looks = {name: style.line(number) for number, name in enumerate(names)}
        for one, panel in zip(used, panels, strict=True):
            _draw(one, panel, span, histograms, looks)
        for one in axes[:, 0]:
            one.set_ylabel("density")
        # The axes are shared, and a limit that is set no longer makes room for what is drawn.
        used[0].set_xlim(*span)
        for one in used:
            one.set_ylim(bottom=0)
        used[0].xaxis.set_major_locator(MaxNLocator(4))
        used[0].xaxis.set_major_formatter("{x:g}")
        # Under a panel that is not drawn, the one above is the last of its column.
        for position, one in enumerate(used):
            if position + axes.shape[1] >= len(used):
                one.set_xlabel(style.shown(label))
                one.xaxis.set_tick_params(labelbottom=True)
        style.legend_below(figure, used, columns=1 if len(used) == 1 else 4)
    return figure


def _alike_high(panels: Sequence[DensityPanel], span: tuple[float, float]) -> bool:
    """Whether one scale shows all of them: a narrow density is too high for the others."""
    positions = numpy.linspace(*span, POINTS)
    tops = [
        max((numpy.nanmax(d) for d in drawn if not numpy.isnan(d).all()), default=numpy.nan)
        for drawn in (
            [density(_finite(values), positions) for values in panel.series.values()]
            for panel in panels
        )
    ]
    known = [top for top in tops if not numpy.isnan(top)]
    return not known or max(known) <= MOST_TIMES_HIGHER * min(known)


def _draw(
    axes: Axes,
    panel: DensityPanel,
    span: tuple[float, float],
    histograms: bool,
    looks: dict[str, dict[str, Any]],
) -> None:
    edges = numpy.linspace(*span, BINS + 1).tolist()
    positions = numpy.linspace(*span, POINTS)
    if panel.control is not None:
        control = _finite(panel.control)
        axes.plot(
            positions,
            density(control, positions),
            color=style.GREY,
            linewidth=0.9,
            label="random scores",
            zorder=1,
        )
    for name, values in panel.series.items():
        values, look = _finite(values), looks[name]
        if histograms and len(values):
            axes.hist(
                values, edges, density=True, histtype="stepfilled", color=look["color"], alpha=0.2
            )
        axes.plot(positions, density(values, positions), label=style.shown(name), **look)
        if len(values):
            axes.axvline(values.mean(), 0, 0.06, color=look["color"], linewidth=1.5)
    style.titled(axes, panel.title)


def density(values: numpy.ndarray, positions: numpy.ndarray) -> numpy.ndarray:
    """A Gaussian kernel's (Scott's bandwidth); values that are all the same have none, NaN."""
    if len(values) < 2 or numpy.ptp(values) < 1e-9:
        return numpy.full(len(positions), numpy.nan)
    return gaussian_kde(values)(positions)


def _finite(values: numpy.ndarray) -> numpy.ndarray:
    return values[numpy.isfinite(values)]
