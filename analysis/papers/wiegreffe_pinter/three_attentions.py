"""
Wiegreffe & Pinter 2019, Figure 2: one text under the attention of the base, of an adversary searched for this text, and
of a trained adversary, with the same prediction under all three.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath

from analysis.errors import AnalysisError
from analysis.figures import style
from analysis.output import Output
from analysis.papers.shared.divergence import (
    Divergence,
    divergence,
    furthest,
    searched_divergence,
    searched_pairs,
)
from analysis.papers.shared.families import ModelFamily, families, settings_of
from analysis.papers.shared.paper import Method
from analysis.papers.shared.study_files import StudyFiles
from analysis.text_files import Attributions, Perturbations
from analysis.written import number, one_line

SHADES = LinearSegmentedColormap.from_list("weight", ["#FFFFFF", style.SKY], N=256)
FONT = 8
# In points: the space between tokens, and the height of a line.
GAP, LINE = 4.0, 13.0
NAMES = 140.0
POINTS_AN_INCH = 72.0


@dataclass(frozen=True)
class Weighted:
    """A text, the weights of its tokens by model, and a note on each model."""

    tokens: Sequence[str]
    weights: dict[str, Sequence[float]]
    about: dict[str, str]


def token_heatmaps(texts: Sequence[Weighted]) -> Figure:
    """Heatmaps of texts. The weights of each model are scaled by the largest, which is shown next to its name."""
    room = style.DOUBLE * POINTS_AN_INCH - NAMES - GAP
    with style.applied():
        layouts = [_layout(text.tokens, room) for text in texts]
        heights = [
            len(text.weights) * (lines * LINE + 10) for text, (_, lines) in zip(texts, layouts)
        ]
        figure = Figure(figsize=(style.DOUBLE, (sum(heights) + 14 * len(texts)) / POINTS_AN_INCH))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, style.DOUBLE * POINTS_AN_INCH)
        axes.set_ylim(sum(heights) + 14 * len(texts), 0)
        top = 7.0
        for text, (positions, lines), height in zip(texts, layouts, heights, strict=True):
            _draw(axes, text, positions, lines, top)
            top += height + 14
    return figure


def _layout(tokens: Sequence[str], room: float) -> tuple[list[tuple[float, int, float]], int]:
    """The start, line and width of each token, and the number of lines."""
    positions, left, line = [], 0.0, 0
    for token in tokens:
        width = _width(token)
        if left and left + width > room:
            left, line = 0.0, line + 1
        positions.append((left, line, width))
        left += width + GAP
    return positions, line + 1


def _width(token: str) -> float:
    token = one_line(token)
    if not token.strip():
        return GAP
    return TextPath((0, 0), token, size=FONT).get_extents().x1


def _draw(
    axes: Axes,
    text: Weighted,
    positions: Sequence[tuple[float, int, float]],
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
        for token, weight, (left, line, width) in zip(text.tokens, weights, positions, strict=True):
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


NAME = "wiegreffe-pinter-heatmaps"
WEIGHTS, SUCCESS, FLIP = (
    Method("instance-adversary", "instance adversary", check=check)
    for check in ("attention", "success", "flip")
)
# Longer texts are not drawn.
LONGEST = 40
TEXTS = 2
BASE, EACH, TRAINED = "base", "adversary, this text", "trained adversary"


def heatmaps(study: StudyFiles, output: Output) -> str | None:
    """Add a figure per base with both kinds of adversaries; return a sentence on the others."""
    all_families, left_out = families(study)
    drawn = 0
    for family in all_families:
        attentions = _three(family)
        texts = [] if attentions is None else weighted_texts(attentions)
        if attentions is None or not texts:
            continue
        drawn += 1
        output.figure(
            f"{NAME}-{family.key}",
            token_heatmaps(texts),
            "Texts under the base's attention, under an adversary's that was searched for the "
            "text, and under a trained adversary's (lambda "
            f"{settings_of(attentions.trained.model).lambda_:g}): Wiegreffe & Pinter (2019), Figure 2. "
            f"{attentions.described}.",
            "Next to each: the probability of the class that the base predicts, and the divergence "
            "of attention from the base's. The depth of colour is the weight over the largest "
            "of the row, which stands next to it. Which texts: of those that all three predict alike, for which the "
            f"search found other weights, and that have at most {LONGEST} tokens, the {TEXTS} whose two "
            "divergences are nearest their medians over all texts. Of the adversaries the one that is furthest away.",
        )
    if not drawn:
        raise AnalysisError(
            left_out
            or "it takes attribution files of a base and of its adversary, and the base's "
            "perturbation file with `instance-adversary`, about the same texts"
        )
    return left_out


@dataclass(frozen=True)
class ThreeAttentions:
    """A base, its perturbation file, and a trained adversary."""

    base: Attributions
    by_text: Perturbations
    trained: Attributions

    @property
    def moved(self) -> dict[str, Divergence]:
        """The divergence of both adversaries from the base, for one seed."""
        by_text = searched_divergence([(self.base, self.by_text)])
        trained = divergence([(self.base, self.trained)])
        return {EACH: by_text, TRAINED: trained}

    @property
    def alike(self) -> numpy.ndarray:
        """Texts for which the search found other weights and all three predict the same. Shape: (texts,)"""
        found, flipped = (
            self.by_text.table[method.column].to_numpy(dtype=float) for method in (SUCCESS, FLIP)
        )
        same = self.base.table["predicted"].to_numpy() == self.trained.table["predicted"].to_numpy()
        return same & (found == 1) & (flipped == 0)

    @property
    def described(self) -> str:
        """Data, model and n, for captions."""
        model, texts = self.base.model, len(self.base.table)
        return f"{model.corpus} ({texts} texts): {model.name}, seed {model.seed}"


def _three(family: ModelFamily) -> ThreeAttentions | None:
    """The attentions of the first base that has both kinds of adversaries."""
    trained = furthest(family, family.adversaries_of(frozen=False))
    if trained is None:
        return None
    by_text = {base.path: file for base, file in searched_pairs(family)}
    for base, adversary in family.pairs(trained):
        file = by_text.get(base.path)
        if file is not None and not any(one.problem(file) for one in (WEIGHTS, SUCCESS, FLIP)):
            return ThreeAttentions(base, file, adversary)
    return None


def weighted_texts(three: ThreeAttentions) -> list[Weighted]:
    """Typical texts with their three attentions."""
    moved = three.moved
    lengths = three.base.table["tokens"].map(len).to_numpy()
    return [_weighted(three, moved, row) for row in typical(moved, lengths, three.alike)]


def typical(
    moved: dict[str, Divergence], lengths: numpy.ndarray, eligible: numpy.ndarray
) -> list[int]:
    """
    The indices of the eligible short texts whose divergences are nearest to the medians of all texts.
    Shape of `lengths` and `eligible`: (texts,)
    """
    jsds = numpy.array([one.jsd.value[0] for one in moved.values()])
    far = numpy.abs(jsds - numpy.nanmedian(jsds, axis=1, keepdims=True)).sum(axis=0)
    usable = numpy.flatnonzero((lengths <= LONGEST) & numpy.isfinite(far) & eligible)
    return usable[numpy.argsort(far[usable], kind="stable")][:TEXTS].tolist()


def _weighted(three: ThreeAttentions, moved: dict[str, Divergence], row: int) -> Weighted:
    text, theirs = (file.table.iloc[row] for file in (three.base, three.trained))
    position, their_position = (
        file.metadata["labels"].index(text["predicted"]) for file in (three.base, three.trained)
    )
    # The search reports how far the output moves, not in which direction.
    about = {
        BASE: f"p({text['predicted']}) = {number(text['probs'][position])}",
        EACH: f"p moved by {number(moved[EACH].tvd.value[0, row])}",
        TRAINED: f"p({text['predicted']}) = {number(theirs['probs'][their_position])}",
    }
    for name, one in moved.items():
        about[name] += f", JSD {number(one.jsd.value[0, row])}"
    return Weighted(
        tokens=list(text["tokens"]),
        weights={
            BASE: list(text["attention"]),
            EACH: list(three.by_text.table[WEIGHTS.column].iloc[row]),
            TRAINED: list(theirs["attention"]),
        },
        about=about,
    )
