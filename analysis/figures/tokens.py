"""The tokens of a text, each on the shade of its weight: one band of lines a model."""

from dataclasses import dataclass
from typing import Dict, List, Sequence, Tuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath

from analysis.figures import style
from analysis.written import one_line

SHADES = LinearSegmentedColormap.from_list("weight", ["#FFFFFF", style.SKY], N=256)
FONT = 8
# Points: between tokens, and from line to line.
GAP, LINE = 4.0, 13.0
NAMES = 140.0
POINTS_AN_INCH = 72.0


@dataclass(frozen=True)
class Weighted:
    """A text, and the weights that each model gives its tokens; beside a name, what it says."""

    tokens: Sequence[str]
    weights: Dict[str, Sequence[float]]
    about: Dict[str, str]


def token_heatmaps(texts: Sequence[Weighted]) -> Figure:
    """Each model's weights are scaled by their largest, which stands beside its name."""
    room = style.DOUBLE * POINTS_AN_INCH - NAMES - GAP
    with style.applied():
        placed = [_placed(text.tokens, room) for text in texts]
        heights = [
            len(text.weights) * (lines * LINE + 10) for text, (_, lines) in zip(texts, placed)
        ]
        figure = Figure(figsize=(style.DOUBLE, (sum(heights) + 14 * len(texts)) / POINTS_AN_INCH))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, style.DOUBLE * POINTS_AN_INCH)
        axes.set_ylim(sum(heights) + 14 * len(texts), 0)
        top = 7.0
        for text, (places, lines), height in zip(texts, placed, heights, strict=True):
            _draw(axes, text, places, lines, top)
            top += height + 14
    return figure


def _placed(tokens: Sequence[str], room: float) -> Tuple[List[Tuple[float, int, float]], int]:
    """Where each token begins, on which line, and how wide it is; and the number of lines."""
    places, left, line = [], 0.0, 0
    for token in tokens:
        width = _width(token)
        if left and left + width > room:
            left, line = 0.0, line + 1
        places.append((left, line, width))
        left += width + GAP
    return places, line + 1


def _width(token: str) -> float:
    token = one_line(token)
    if not token.strip():
        return GAP
    return TextPath((0, 0), token, size=FONT).get_extents().x1


def _draw(
    axes: Axes,
    text: Weighted,
    places: Sequence[Tuple[float, int, float]],
    lines: int,
    top: float,
) -> None:
    for name, weights in text.weights.items():
        largest = max(weights) or 1.0
        axes.text(2, top + LINE / 2, one_line(name), fontsize=FONT, va="center", fontweight="bold")
        axes.text(
            2,
            top + LINE * 1.35,
            f"{one_line(text.about[name])}, largest {largest:.2f}",
            fontsize=6,
            va="center",
        )
        for token, weight, (left, line, width) in zip(text.tokens, weights, places, strict=True):
            corner = (NAMES + left - GAP / 2, top + line * LINE + 0.8)
            axes.add_patch(
                Rectangle(corner, width + GAP, LINE - 1.6, color=SHADES(weight / largest))
            )
            axes.text(
                NAMES + left,
                top + line * LINE + LINE / 2,
                one_line(token),
                fontsize=FONT,
                va="center_baseline",
            )
        top += lines * LINE + 10
    axes.plot([0, style.DOUBLE * POINTS_AN_INCH], [top, top], color=style.LIGHT_GREY, linewidth=0.5)
