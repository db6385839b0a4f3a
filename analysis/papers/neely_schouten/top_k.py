"""
Neely & Schouten's agreement on the top k, scored as published and as Fagin et al. define it, compared with chance.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy
import pandas
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from analysis.agreement.agreement_table import OVERALL
from analysis.agreement.agreements import Agreement
from analysis.claims.table_rows import TypedTable, estimated, group_rows, where
from analysis.figures import style
from analysis.formats import cell, markdown
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.agreement import (
    AgreementRow,
    DifferenceRow,
    add_differences,
    agreement_rows,
    compute_agreements,
)
from analysis.papers.shared.paper import JAIN_WALLACE_PAIRS as PAIRS
from analysis.papers.shared.published import (
    OURS_SELECTED,
    as_printed,
    over_classes,
    read_published,
    with_difference,
    with_published,
)
from analysis.papers.shared.study_files import by_corpus, describe
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.written import Estimate, interval_column


def corrected_top_k(rows: Sequence[AgreementRow]) -> Iterator[str]:
    """A paragraph and a table: both measures, each compared with its own chance level."""
    chosen = where(rows, k=NON_ZERO, predicted="overall")
    measures = {
        key: {row.measure: row for row in alike}
        for key, alike in group_rows(chosen, "corpus", "model", "importance")
    }
    shown = [
        {
            "corpus": corpus,
            "model": model,
            "importance": importance,
            "as published": by_measure[AS_PUBLISHED].mean,
            "its chance": cell(by_measure[AS_PUBLISHED].permuted_mean),
            "corrected": by_measure[FAGIN].mean,
            "chance": cell(by_measure[FAGIN].permuted_mean),
        }
        for (corpus, model, importance), by_measure in measures.items()
        if AS_PUBLISHED in by_measure and FAGIN in by_measure
    ]
    if shown:
        yield (
            "**Top-k agreement (k = non-zero weights of sparsemax).** The published measure leaves out the "
            "pairs of which each is in another list, and gives lists that have nothing in common nearly "
            "the best mark. Chance is what the same importance in random order gets."
        )
        yield markdown(pandas.DataFrame(shown))


def in_print() -> dict[str, pandas.DataFrame]:
    """The printed scores as claims read them, means over the predicted classes."""
    theirs = over_classes(read_published("neely_schouten/table2_top_k"))
    # They have no chance to compare with.
    unknown = ("permuted mean", *(f"above permuted{end}" for end in ("", " low", " high")))
    theirs = theirs.assign(
        encoder="bilstm", measure=AS_PUBLISHED, **dict.fromkeys(unknown, math.nan)
    )
    return {TOP_K.name: as_printed(theirs, mean=3)}


MEASURES = {"as-published": "Scored as published", "fagin": "scored as Fagin et al. define it"}


def relative_to_chance(table: pandas.DataFrame) -> pandas.Series:
    """
    `above` or `below` if the interval of the mean and the chance band do not overlap, else `inside`, from the columns
    `low`, `high`, `chance low` and `chance high`. Rows without one of these are left out.
    """
    table = table.dropna(subset=["low", "high", "chance low", "chance high"])
    position = pandas.Series("inside", index=table.index)
    position[table["low"] > table["chance high"]] = "above"
    position[table["high"] < table["chance low"]] = "below"
    return position


def compare_with_chance(table: pandas.DataFrame) -> str:
    """A sentence on agreement and chance, with k = non-zero weights if any model has zeros."""
    headline = table[table["k"] == "non-zero"]
    rows = headline if len(headline) else table
    where = "at k = non-zero" if len(headline) else "on the top k"
    parts = [
        f"{words}, agreement {where} is {_counted(rows[rows['measure'] == measure])}"
        for measure, words in MEASURES.items()
    ]
    return f"{'; '.join(parts)}.{_published(rows)}"


def _counted(rows: pandas.DataFrame) -> str:
    """`inside the chance band in 3 of 8 comparisons and below it in 5 (mean .8, chance .8)`"""
    side_of = relative_to_chance(rows)
    count: dict[str, int] = side_of.value_counts().to_dict()
    if not count:
        return "without an interval to hold against chance"
    rows = rows.loc[side_of.index]
    numbers = (
        f"(mean {cell(rows['mean'].mean())}, random scores {cell(rows['random mean'].mean())})"
    )
    total = len(rows)
    if len(count) == 1:
        (position,) = count
        comparisons = f"all {total} comparisons" if total > 1 else "the only comparison"
        return f"{position} the chance band in {comparisons} {numbers}"
    first, *others = (position for position in ("above", "inside", "below") if position in count)
    rest = " and ".join(f"{position} it in {count[position]}" for position in others)
    return f"{first} the chance band in {count[first]} of {total} comparisons, {rest} {numbers}"


def _published(rows: pandas.DataFrame) -> str:
    """A sentence that compares the published values with the chance band of these models."""
    known = rows[rows["published"].notna()]
    if known.empty:
        return ""
    above = int((known["published"] > known["chance high"]).sum())
    lie = "lie" if above > 1 else "lies"
    return f" Of {len(known)} published values {above or 'none'} {lie} above that band."


INCHES_A_LINE = 0.17
HOLLOW: dict[str, Any] = {
    "marker": "D",
    "markersize": 5,
    "markerfacecolor": "none",
    "markeredgecolor": style.BLACK,
    "linestyle": "none",
}


@dataclass(frozen=True)
class Mark:
    """
    A mean in the figure.

    panel, row, series : its position; series are drawn side by side within a row.
    interval, chance : low and high; not drawn if NaN.
    published : the published value, if any.
    """

    panel: str
    row: str
    series: str
    mean: float
    interval: tuple[float, float]
    chance: tuple[float, float]
    published: float | None = None


def on_chance_bands(marks: Sequence[Mark], label: str) -> Figure:
    """Means with intervals on chance bands, with rows and panels in the order of the marks."""
    panels = _seen(mark.panel for mark in marks)
    rows = _seen(mark.row for mark in marks)
    series = _seen(mark.series for mark in marks)
    with style.applied():
        lines = len(rows) * len(series)
        figure, axes = style.figure(
            style.DOUBLE, 1.1 + INCHES_A_LINE * lines, 1, len(panels), sharex=True, sharey=True
        )
        for one, panel in zip(axes[0], panels, strict=True):
            for mark in marks:
                if mark.panel == panel:
                    position = rows.index(mark.row) + _apart(series.index(mark.series), len(series))
                    _draw(one, mark, position, series.index(mark.series), len(series))
            style.titled(one, panel)
            one.set_xlabel(style.shown(label))
            one.tick_params(axis="y", length=0)
            one.axvline(0, color=style.GREY, linewidth=0.5, zorder=0)
            for between in range(1, len(rows)):
                one.axhline(between - 0.5, color=style.LIGHT_GREY, linewidth=0.5, zorder=0)
        first = axes[0, 0]
        first.set_yticks(range(len(rows)), list(map(style.shown, rows)))
        first.set_ylim(len(rows) - 0.5, -0.5)
        figure.legend(
            handles=_legend(series, any(mark.published is not None for mark in marks)),
            loc="outside lower center",
            ncols=len(series) + 2,
        )
    return figure


def _draw(axes: Axes, mark: Mark, position: float, number: int, of: int) -> None:
    height = 0.8 / of
    low, high = mark.chance
    if not math.isnan(low):
        # The edge keeps a narrow band visible.
        band = Rectangle(
            (low, position - height / 2), high - low, height, color=style.BAND, zorder=1
        )
        band.set_linewidth(1)
        axes.add_patch(band)
    look = style.series(number)
    axes.plot(mark.interval, (position, position), color=look["color"], linewidth=1.2, zorder=3)
    axes.plot(mark.mean, position, zorder=4, **look)
    if mark.published is not None:
        axes.plot(mark.published, position, **HOLLOW, zorder=5)


def _apart(number: int, of: int) -> float:
    """The offset of a series within a row of height 1."""
    return 0.8 * ((number + 0.5) / of - 0.5)


def _legend(series: Sequence[str], with_published: bool) -> list[Artist]:
    handles: list[Artist] = [
        Line2D([], [], label=style.shown(name), **{**style.series(number), "linestyle": "-"})
        for number, name in enumerate(series)
    ]
    handles.append(Patch(facecolor=style.BAND, label="chance: random and permuted scores"))
    if with_published:
        handles.append(Line2D([], [], label="published", **HOLLOW))
    return handles


def _seen(names: Iterable[str]) -> list[str]:
    """The names without repetitions, in their order."""
    return list(dict.fromkeys(names))


@dataclass(frozen=True, kw_only=True)
class TopKRow(AgreementRow):
    """Every row of this table has the mean less that of permuted scores."""

    above_permuted: Estimate = estimated("above permuted", difference=True)


TOP_K = TypedTable("neely-schouten-table-2", TopKRow)
DIFFERENCES = TypedTable("neely-schouten-table-2-differences", DifferenceRow)
AS_PUBLISHED = "as-published"
FAGIN = "fagin"
NON_ZERO = "non-zero"
# Projections that leave no weight at 0, for which non-zero is all.
DENSE = ("softmax", "uniform")
# The columns that identify a row by either measure.
ROW = ["corpus", "model", "k", "importance", "predicted"]
NOTE = (
    "As published: the score used in the paper, which forgets pairs of which one token is in the "
    "one list only and the other in the other list only, so that lists that share nothing score "
    "near 1. Fagin: the definition (Fagin et al. 2003), lists that share nothing score -1. Random "
    "and permuted: the same score with noise, or with the importance in random order, in place of "
    "the importance; fagin scaled: between the permuted control (0) and the best that ties allow (1). "
    f"Published values are selected on dev. {OURS_SELECTED} {ABOUT_INTERVALS}"
)


OF_ATTENTION = tuple(pair for pair in PAIRS if pair[0].name == "attention")


def top_k_agreements(model: Model) -> list[Agreement]:
    """Agreements of attention with each kind of importance, by both measures and each useful k."""
    return compute_agreements(model, OF_ATTENTION, _measures(model))


def top_k_rows(of_models: Sequence[Sequence[Agreement]]) -> pandas.DataFrame:
    """One row per k, importance, class and measure, with chance band and published values."""
    table = pandas.concat(
        [agreement_rows(one, OF_ATTENTION) for one in of_models], ignore_index=True
    )
    table[["measure", "k"]] = table["measure"].str.split(":k=", expand=True)
    table["chance low"] = table[["random low", "permuted low"]].min(axis=1)
    table["chance high"] = table[["random high", "permuted high"]].max(axis=1)
    theirs = read_published("neely_schouten/table2_top_k")
    theirs = theirs.assign(encoder="bilstm", measure=AS_PUBLISHED)
    return with_difference(with_published(table, theirs), "published")


def _measures(model: Model) -> list[str]:
    sizes = ["average-length", "all"]
    if model.config.projection not in DENSE:
        sizes.append(NON_ZERO)
    return [f"{measure}:k={k}" for k in sizes for measure in (AS_PUBLISHED, FAGIN)]


def table_2(models: Sequence[Model], output: Output) -> None:
    """Add the table, a table of differences, and a figure and a sentence per corpus."""
    of_models = list(map(top_k_agreements, models))
    table = top_k_rows(of_models)
    output.table(
        TOP_K.name,
        table,
        "Agreement of attention with gradient and leave-one-out on the top k tokens, scored as "
        "published and as Fagin et al. define it, compared with Neely & Schouten (2020), Table 2. "
        f"{describe(models)}.",
        NOTE,
        side_by_side(table),
    )
    add_differences(output, DIFFERENCES.name, list(chain.from_iterable(of_models)))
    for corpus, several in by_corpus(models).items():
        rows = table[(table["corpus"] == corpus) & (table["predicted"] != OVERALL)]
        text = compare_with_chance(rows)
        output.sentence(slug("neely-schouten-beside-chance", corpus), f"{corpus}: {text}")
        marks = _marks(rows[rows["mean"].notna()])
        if not marks:
            continue
        output.figure(
            slug("neely-schouten-chance", corpus),
            on_chance_bands(marks, "mean agreement"),
            f"Agreement of attention with importance on the top k tokens, compared with chance. {text} "
            f"{describe(several)}.",
            f"Lines: interval of the mean. {ABOUT_INTERVALS} Bands: where the mean lies if random "
            "scores, or the same scores in random order, replace the importance (95 %). "
            "What shares nothing with the band is above or below it, the rest inside.",
        )


def side_by_side(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table as people read it, with one row for both measures."""
    table = table.assign(interval=interval_column(table))
    numbers = ["mean", "interval", "random mean", "permuted mean"]
    one, other = (
        table[table["measure"] == measure].set_index(ROW) for measure in (AS_PUBLISHED, FAGIN)
    )
    shown = one[["published", *numbers, "difference", "n", "undefined"]].join(
        other[[*numbers, "scaled"]].add_prefix("fagin ")
    )
    order = ["published", "mean", "interval", "difference", "random mean", "permuted mean"]
    order += [f"fagin {name}" for name in [*numbers, "scaled"]] + ["n", "undefined"]
    names = {name: name.removesuffix(" mean") for name in order} | {"mean": AS_PUBLISHED}
    return shown[order].rename(columns=names).reset_index()


def _marks(table: pandas.DataFrame) -> list[Mark]:
    titles = {AS_PUBLISHED: "as published", FAGIN: "Fagin"}
    return [
        Mark(
            panel=f"{row['importance']}\n{titles[measure]}",
            row=f"{row['model']}\nk = {row['k']}",
            series=f"predicted {row['predicted']}",
            mean=row["mean"],
            interval=(row["low"], row["high"]),
            chance=(row["chance low"], row["chance high"]),
            published=None if numpy.isnan(row["published"]) else row["published"],
        )
        for measure in titles
        for importance in table["importance"].unique()
        for _, row in table[
            (table["measure"] == measure) & (table["importance"] == importance)
        ].iterrows()
    ]
