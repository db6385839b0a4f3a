"""Layers by heads: what each does, the first layer below, and whole layers beside."""

from dataclasses import dataclass
from typing import Sequence

import numpy
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from analysis.figures import style

INCHES_A_CELL = 0.42
COLOURS = LinearSegmentedColormap.from_list("effect", ["#F7F7F7", style.BLUE], N=256)
WHITE_PRINT_FROM = 0.6
# Whole layers stand a column apart.
GAP = 1


@dataclass(frozen=True)
class HeadsPanel:
    """
    heads : Shape: (layers, heads)
    layers : of each layer as a whole. Shape: (layers,)
    """

    title: str
    heads: numpy.ndarray
    layers: numpy.ndarray


def heads_figure(panels: Sequence[HeadsPanel], label: str) -> Figure:
    """One under the other, in the same shades, which end at the strongest head."""
    layers = max(len(panel.heads) for panel in panels)
    columns = max(panel.heads.shape[1] for panel in panels) + GAP + 1
    width = max(style.SINGLE, INCHES_A_CELL * columns + 1.6)
    height = (INCHES_A_CELL * layers + 0.9) * len(panels)
    with style.applied():
        figure, axes = style.figure(width, height, len(panels))
        top = max(_end(panel.heads) for panel in panels)
        for one, panel in zip(axes[:, 0], panels, strict=True):
            image = _draw(one, panel, top)
            style.titled(one, panel.title)
            bar = figure.colorbar(image, ax=one, shrink=0.8, aspect=15, extend="max")
            bar.set_label(style.shown(label))
            bar.outline.set_visible(False)
    return figure


def _draw(axes: Axes, panel: HeadsPanel, top: float) -> AxesImage:
    layers, heads = panel.heads.shape
    gap = numpy.full((layers, GAP), numpy.nan)
    shades = numpy.hstack([panel.heads, gap, panel.layers[:, None]])
    image = axes.imshow(shades, cmap=COLOURS, vmin=0.0, vmax=top, origin="lower")
    for (row, column), value in numpy.ndenumerate(shades):
        if numpy.isfinite(value):
            colour = "white" if value > WHITE_PRINT_FROM * top else style.BLACK
            axes.text(
                column, row, _short(value, top), fontsize=6, ha="center", va="center", color=colour
            )
    axes.set_xticks([*range(heads), heads + GAP], [*range(1, heads + 1), "all"])
    axes.set_yticks(range(layers), range(1, layers + 1))
    axes.set_xlabel("head")
    axes.set_ylabel("layer")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


def _end(values: numpy.ndarray) -> float:
    """Where shades end: not at 0, if nothing does anything."""
    return max(float(numpy.nanmax(values)), 0.01)


def _short(value: float, top: float) -> str:
    """Two digits, or three where all is small, without the 0 before the point."""
    return f"{value:.{2 if top >= 0.1 else 3}f}".removeprefix("0")
