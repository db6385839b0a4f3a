"""Jain & Wallace 2019, section 4.2: what permuted attention changes, and how different attention with the same output
can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.agreement.agreement_table import OVERALL, groups
from analysis.claims.table_rows import TableRow, TypedTable, estimated
from analysis.figures import style
from analysis.figures.violins import Violins, violins
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.divergence import BOUND, INSTANCE_ADVERSARY, MAX_JSD, SUCCESS
from analysis.papers.shared.paper import Method
from analysis.papers.shared.per_text import (
    ALL,
    bin_texts,
    by_bin,
    check,
    classes_of,
    largest_weights,
    sample,
)
from analysis.papers.shared.published import about, readable, with_intervals
from analysis.papers.shared.study_files import describe
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import Sample, summaries
from analysis.written import Estimate, number

MEDIAN = Method("permutation", "permutation", check="median_tvd")
LARGEST = Method("permutation", "permutation", check="max_attention")


@dataclass(frozen=True, kw_only=True)
class PermutedRow(TableRow):
    """
    The change of the output under permuted attention.

    predicted : the class, or `overall`.
    max_attention : the bin of the largest weight, or `all`.
    change : the mean over texts of the medians over permutations.
    """

    predicted: str
    max_attention: str
    change: Estimate = estimated(difference=True)


PERMUTATION = TypedTable("jain-wallace-permutation", PermutedRow)
SHOWN = ("corpus", "model", "predicted", "max attention", "mean", "interval", "median", "std", "n")


def permutation_rows(model: Model) -> list[dict[str, Any]]:
    """One row per predicted class and bin of the largest weight, and for all together."""
    values, weights = sample(model, check(MEDIAN)), sample(model, check(LARGEST)).value
    bins = {ALL: weights == weights, **bin_texts(weights)}
    keys = [(name, of) for name in groups(model, "predicted") for of in bins]
    members = groups(model, "predicted")
    parts = [values.where(members[name] & bins[of]) for name, of in keys]
    return [
        {**about(model), "predicted": name, "max attention": of, **row}
        for (name, of), row in zip(keys, summaries(parts), strict=True)
        if row["n"] or of == ALL
    ]


def permutation(models: Sequence[Model], output: Output) -> None:
    """Add the table, a figure and one sentence per model on the effect of permuted attention."""
    table = pandas.DataFrame([row for model in models for row in permutation_rows(model)])
    output.table(
        PERMUTATION.name,
        table,
        "Median change of the output (total variation distance) over permutations of attention, by "
        f"predicted class and by the largest weight. {describe(models)}.",
        "Hidden states stay as they are. A small change where one weight is large says that the "
        f"token it stands at was not needed. The mean is that of the texts' medians. {ABOUT_INTERVALS}",
        readable(table, SHOWN),
    )
    panels = [
        Violins(
            f"{model.config.corpus}, {model.name}",
            by_bin(
                sample(model, check(MEDIAN)).value,
                sample(model, check(LARGEST)).value,
                classes_of(model),
            ),
        )
        for model in models
    ]
    output.figure(
        "jain-wallace-permutation-violins",
        violins(panels, "largest weight of attention", "median change of output (TVD)", top=1.0),
        "Median change of the output (total variation distance) over permutations of attention, "
        f"text by text, by the largest weight and by predicted class. {describe(models)}.",
        "Bar: the middle half of the texts; dot: median; below each group: the number of texts of "
        "each class. Groups of fewer than 8 texts are drawn text by text.",
    )
    for model in models:
        name = slug("jain-wallace-permutation-finding", model.config.corpus, model.name)
        output.sentence(name, _permutation_finding(table, model))


def _permutation_finding(table: pandas.DataFrame, model: Model) -> str:
    row = table[
        (table["corpus"] == model.config.corpus)
        & (table["model"] == model.name)
        & (table["predicted"] == OVERALL)
        & (table["max attention"] == ALL)
    ].iloc[0]
    return (
        f"{row['corpus']}, {row['model']}: attention in random order changes the output by "
        f"{number(row['mean'])} on average (the median over permutations of each text; total variation "
        f"distance, n = {row['n']})."
    )


BINS = 20


@dataclass(frozen=True)
class Found:
    """
    Results of a search in one model.

    values : the values found, by series.
    failures : the number of texts without a result, by series.
    """

    title: str
    values: dict[str, numpy.ndarray]
    failures: dict[str, int]


def found_histograms(
    panels: Sequence[Found], label: str, failure: str, top: float, widest: int = 2
) -> Figure:
    """Histograms of the values as shares of the texts; `failure` labels the bar of texts without a result."""
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
    edges = numpy.linspace(0, top, BINS + 1).tolist()
    step = edges[1]
    number_of_series = len(panel.values)
    for index, (name, values) in enumerate(panel.values.items()):
        total = len(values) + panel.failures[name]
        if not total:
            continue
        look = style.line(index)
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
            -3 * step + wide * (index + 0.5),
            panel.failures[name] / total,
            width=wide,
            color=style.LIGHT_GREY,
            edgecolor=look["color"],
            hatch="///",
        )
    axes.axvline(-step, color=style.GREY, linewidth=0.5)
    axes.set_xlim(-3.5 * step, top)
    # Ticks near the end would touch its label.
    positions = [position for position in numpy.linspace(0, 1, 6) if position < top - 0.1]
    axes.set_xticks([-2.5 * step, *positions, top])
    axes.set_xticklabels([failure, *(f"{position:g}" for position in positions), f"{top:.2f}"])


STATISTICS = {"success": "share found", "all": "max JSD", "found": "max JSD where found"}
ADVERSARY_NOTE = (
    "Found: another attention with an output at most epsilon away (total variation distance). As "
    "published, a text without one counts with a divergence of 0; the mean over the texts that "
    f"have one stands next to it. {ABOUT_INTERVALS} The largest possible divergence is "
    f"log 2 = {number(BOUND)}."
)


@dataclass(frozen=True, kw_only=True)
class InstanceAdversaryRow(TableRow):
    """
    The largest divergence found, by class.

    predicted : the class, or `overall`.
    max_jsd : the mean over all texts.
    """

    predicted: str
    max_jsd: Estimate = estimated("all")


ADVERSARY = TypedTable("jain-wallace-adversary", InstanceAdversaryRow)


def found_only(values: Sample, success: Sample) -> Sample:
    """The values of the texts that the search found a result for."""
    return values.where(success.value == 1)


def adversary_rows(model: Model) -> list[dict[str, Any]]:
    """One row per predicted class and one for all texts, from the perturbation files of a model."""
    success, jsd = sample(model, check(SUCCESS)), sample(model, check(MAX_JSD))
    parameters = model.files[0].declared[INSTANCE_ADVERSARY].get("parameters", {})
    members = groups(model, "predicted")
    samples = {
        "success": [success.where(member) for member in members.values()],
        "all": [jsd.where(member) for member in members.values()],
        "found": [found_only(jsd, success).where(member) for member in members.values()],
    }
    rows = {kind: summaries(parts) for kind, parts in samples.items()}
    return [
        {
            **about(model),
            "predicted": name,
            "epsilon": parameters.get("epsilon", numpy.nan),
            "n": rows["all"][position]["n"],
            **{
                f"{kind} {statistic}": rows[kind][position][statistic]
                for kind in STATISTICS
                for statistic in ("mean", "low", "high")
            },
        }
        for position, name in enumerate(members)
    ]


def adversary(models: Sequence[Model], output: Output) -> None:
    """Add the table, two figures and one sentence per model on the results of the search per text."""
    table = pandas.DataFrame([row for model in models for row in adversary_rows(model)])
    output.table(
        ADVERSARY.name,
        table,
        "The largest divergence of an attention that leaves the output nearly as it is, searched "
        f"text by text (Jain & Wallace 2019). {describe(models)}.",
        ADVERSARY_NOTE,
        _shown(table),
    )
    output.figure(
        "jain-wallace-adversary-histogram",
        found_histograms(list(map(_histogram, models)), "max JSD (nats)", "none", BOUND),
        "The largest divergence (JSD, in nats) of an attention with nearly the same output, by "
        f"predicted class. {describe(models)}.",
        "Hatched, on the left: texts that no such attention was found for, whose divergence is "
        f"counted as 0. Divergences end at log 2 = {number(BOUND)}.",
    )
    output.figure(
        "jain-wallace-adversary-violins",
        violins(
            list(map(_panel, models)), "largest weight of attention", "max JSD (nats)", top=BOUND
        ),
        "The largest divergence (JSD, in nats) of an attention with nearly the same output, by the "
        f"largest weight of attention and by predicted class. {describe(models)}.",
        "Texts without such an attention stand at 0, as published. Bar: the middle half of the "
        "texts; dot: median; below each group: the number of texts of each class.",
    )
    overall = table[table["predicted"] == OVERALL]
    for row in overall.to_dict("records"):
        output.sentence(
            slug("jain-wallace-adversary-finding", row["corpus"], row["model"]),
            f"{row['corpus']}, {row['model']}: {_adversary_finding(row)} (n = {row['n']}).",
        )


def _adversary_finding(row: dict[str, Any]) -> str:
    if not row["success mean"] > 0:
        return f"no text has another attention with the same output within {row['epsilon']:g}"
    return (
        f"for {100 * row['success mean']:.1f} % of the texts another attention gives the same "
        f"output within {row['epsilon']:g}; its divergence is {number(row['found mean'])} on average, "
        f"of at most {number(BOUND)}"
    )


def _shown(table: pandas.DataFrame) -> pandas.DataFrame:
    shown = with_intervals(table[["corpus", "model", "predicted", "epsilon"]], table, STATISTICS)
    return shown.assign(n=table["n"], **{"selected on": table["selected on"]})


def _histogram(model: Model) -> Found:
    success, jsd = sample(model, check(SUCCESS)).value, sample(model, check(MAX_JSD)).value
    classes = classes_of(model)
    return Found(
        f"{model.config.corpus}, {model.name}",
        {f"predicted {name}": jsd[member & (success == 1)] for name, member in classes.items()},
        {
            f"predicted {name}": int((success[member] == 0).sum())
            for name, member in classes.items()
        },
    )


def _panel(model: Model) -> Violins:
    weights = largest_weights([file.attention for file in model.files])
    return Violins(
        f"{model.config.corpus}, {model.name}",
        by_bin(sample(model, check(MAX_JSD)).value, weights, classes_of(model)),
    )
