"""The effect of each head of self-attention on the output, from perturbation files."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from analysis.errors import AnalysisError
from analysis.figures import style
from analysis.measures import Values
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.paper import PERTURBED, Exhibit, Exhibition, Method
from analysis.papers.shared.per_text import NO_VALUE
from analysis.papers.shared.published import about, readable
from analysis.papers.shared.study_files import describe
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import Sample, summaries
from analysis.text_files import TextFile
from analysis.written import number

INCHES_A_CELL = 0.42
COLOURS = LinearSegmentedColormap.from_list("effect", ["#F7F7F7", style.BLUE], N=256)
WHITE_PRINT_FROM = 0.6
# Columns between the heads and the whole layers.
GAP = 1


@dataclass(frozen=True)
class HeadsPanel:
    """
    Effects in one model.

    heads : the effect of each head. Shape: (layers, heads)
    layers : the effect of each layer as a whole. Shape: (layers,)
    """

    title: str
    heads: numpy.ndarray
    layers: numpy.ndarray


def heads_figure(panels: Sequence[HeadsPanel], label: str) -> Figure:
    """Panels below each other, on one colour scale that ends at the strongest head."""
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
    axes.set_xticks([*range(heads), heads + GAP], [*map(str, range(1, heads + 1)), "all"])
    axes.set_yticks(range(layers), list(map(str, range(1, layers + 1))))
    axes.set_xlabel("head")
    axes.set_ylabel("layer")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return image


def _end(values: numpy.ndarray) -> float:
    """The end of the colour scale; above 0 even if no head has an effect."""
    return max(float(numpy.nanmax(values)), 0.01)


def _short(value: float, top: float) -> str:
    """Two digits, or three if all values are small, without the leading 0."""
    return f"{value:.{2 if top >= 0.1 else 3}f}".removeprefix("0")


EACH = "each-head"
COLUMNS = tuple(Method(EACH, "each head", check=field) for field in ("heads", "layers", "all"))
ALL = "all"
SHOWN = ("corpus", "model", "change", "layer", "head", "mean", "interval", "median", "n")
WORDS = {
    "off": "switched off",
    "uniform": "attending to all positions alike",
    "permuted": "with its weights in another order",
}


def effects(file: TextFile) -> tuple[numpy.ndarray, int, int]:
    """
    Effects per text, of each head (layer by layer), each layer, and all together; and the numbers of layers and of heads
    per layer. Shape: (texts, heads + layers + 1)
    """
    columns = [numpy.stack(file.table[COLUMNS[position].column].to_numpy()) for position in (0, 1)]
    alone, layers = (numpy.asarray(column, dtype=float) for column in columns)
    whole = file.table[COLUMNS[2].column].to_numpy(dtype=float)
    heads, rest = divmod(alone.shape[1], layers.shape[1])
    if rest:
        raise AnalysisError(f"{file.path}: its layers have heads of different number")
    return numpy.hstack([alone, layers, whole[:, None]]), layers.shape[1], heads


def rows_of(model: Model) -> list[dict[str, Any]]:
    """One row per head, per layer and for all: the mean change of the output over texts."""
    of_seeds = [effects(file) for file in model.files]
    _, layers, heads = of_seeds[0]
    numbers = range(1, layers + 1)
    keys: list[tuple[int | str, int | str]] = [
        *((layer, head) for layer in numbers for head in range(1, heads + 1)),
        *((layer, ALL) for layer in numbers),
        (ALL, ALL),
    ]
    samples = [
        Sample.of([_values(moved[:, position]) for moved, _, _ in of_seeds])
        for position in range(len(keys))
    ]
    return [
        {**about(model), "change": change_of(model), "layer": layer, "head": head, **row}
        for (layer, head), row in zip(keys, summaries(samples), strict=True)
    ]


def _values(numbers: numpy.ndarray) -> Values:
    return Values.defined_where(numpy.isfinite(numbers), numbers, NO_VALUE)


def change_of(model: Model) -> str:
    return model.files[0].declared[EACH]["parameters"].get("change", "off")


def heads(models: Sequence[Model], output: Output) -> None:
    """Add the table, a figure of layers by heads, and one sentence per model."""
    tables = {model.name: pandas.DataFrame(rows_of(model)) for model in models}
    table = pandas.concat(tables.values(), ignore_index=True)
    output.table(
        "heads-effects",
        table,
        "Change of the output (total variation distance) when one head of self-attention is changed, a "
        f"whole layer, or all of them, as a mean over texts. {describe(models)}.",
        "The rest of the model is as it was, and was not trained for it. What a head does alone says "
        f"nothing of what several do together. {ABOUT_INTERVALS}",
        readable(table, SHOWN),
    )
    output.figure(
        "heads-effects-map",
        heads_figure(
            [_panel(model, tables[model.name]) for model in models], "change of output (TVD)"
        ),
        "Change of the output (total variation distance) with each head of self-attention changed alone, "
        f"and, on the right, with all heads of a layer, as a mean over texts. {describe(models)}.",
        "Shades end at the strongest head; whole layers may do more.",
    )
    for model in models:
        name = slug("heads-finding", model.config.corpus, model.name)
        output.sentence(name, _finding(model, tables[model.name]))


def _grid(table: pandas.DataFrame) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Shape: (layers, heads), (layers,)"""
    layers = table[(table["head"] == ALL) & (table["layer"] != ALL)]["mean"].to_numpy()
    alone = table[table["head"] != ALL]["mean"].to_numpy()
    return alone.reshape(len(layers), -1), layers


def _panel(model: Model, table: pandas.DataFrame) -> HeadsPanel:
    title = f"{model.config.corpus}, {model.name}: {WORDS[change_of(model)]}"
    return HeadsPanel(title, *_grid(table))


def _finding(model: Model, table: pandas.DataFrame) -> str:
    alone = table[table["head"] != ALL]
    most = alone.loc[alone["mean"].idxmax()]
    whole = table[table["layer"] == ALL].iloc[0]
    return (
        f"{model.config.corpus}, {model.name}: {WORDS[change_of(model)]}, the one head that matters most "
        f"(layer {most['layer']}, head {most['head']}) moves the output by {number(most['mean'])} on "
        f"average, half of the heads by less than {number(alone['mean'].median())}, and all heads "
        f"together by {number(whole['mean'])} (total variation distance, n = {whole['n']})."
    )


HEADS = Exhibition(
    "heads", "Heads of self-attention", (Exhibit("heads-effects", COLUMNS, heads, of=PERTURBED),)
)
