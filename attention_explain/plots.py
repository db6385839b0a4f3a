"""Figures of the results, made with matplotlib, that can go into a paper."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attention_explain.errors import InputError
from attention_explain.heatmaps.explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INCHES_PER_TOKEN = 0.16


def plot(
    result: Any, methods: Sequence[str] | None = None, save: str | Path | None = None
) -> "Figure":
    """
    A figure of a result: of an `Explanation` the scores of each token, of `Evaluations` and of a `AttentionVerdict` the
    faithfulness score of each method with its interval.

    # Parameters

    result : `Explanation`, `Evaluations` or `AttentionVerdict`
    methods : `Sequence[str]`, optional (default = all)
        For an explanation: the methods to show.
    save : `str` or `Path`, optional
        A file to save the figure to, such as `figure.pdf` or `figure.png`.
    """
    from analysis.figure_files import applied, saved
    from attention_explain.results import AttentionVerdict, Evaluations

    if isinstance(result, Explanation):
        figure = _scores_of_tokens(result, methods)
    elif isinstance(result, (Evaluations, AttentionVerdict)):
        figure = result.plot()
    else:
        raise InputError(
            f"plot takes an Explanation (such as explanations[0]), Evaluations or a AttentionVerdict, not a "
            f"{type(result).__name__}"
        )
    # Shows the figure in a notebook, also if it does not use pyplot.
    figure._repr_png_ = partial(saved, figure, "png")  # type: ignore[attr-defined]
    if save is not None:
        with applied():
            figure.savefig(save)
    return figure


def _scores_of_tokens(explanation: Explanation, methods: Sequence[str] | None) -> "Figure":
    """Bars, a panel per method; for the class to the right."""
    from analysis.figures import style

    names = list(explanation.scores) if methods is None else list(methods)
    for name in names:
        if name not in explanation.scores:
            raise InputError(
                f"there is no method {name!r}; there are {', '.join(explanation.scores)}"
            )
    shown = [name for name in names if explanation.scores[name] is not None]
    if not shown:
        raise InputError("there are no scores to plot")
    positions = range(len(explanation.tokens))
    with style.applied():
        high = 0.6 + INCHES_PER_TOKEN * len(explanation.tokens)
        figure, _, used = style.panels(len(shown), len(shown), 0.7, high, sharey=True)
        for panel, name in zip(used, shown, strict=True):
            scores = explanation.scores[name] or []
            colours = [style.BLUE if score < 0 else style.ORANGE for score in scores]
            panel.barh(positions, scores, color=colours)
            panel.axvline(0, color=style.GREY, linewidth=0.6)
            style.titled(panel, name, 8)
        used[0].set_yticks(positions, list(map(style.shown, explanation.tokens)))
        used[0].set_ylim(len(explanation.tokens) - 0.5, -0.5)
    return figure
