"""What the agreement command leaves in its folder: tables, figures, findings, and the value of each text."""

import io
from collections.abc import Sequence
from typing import Any

import numpy
import pandas
import pyarrow
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from analysis.agreement.agreement_table import OVERALL, agreement_table, shown_agreements
from analysis.agreement.agreements import BY_MAGNITUDE, CONTROLS, MIXED, SIGNED, Agreement
from analysis.agreement.comparisons import (
    LESS,
    SAME,
    attention_apart,
    paired_methods,
    paired_models,
    shown_comparisons,
)
from analysis.agreement.findings import findings, no_better_than_chance
from analysis.figures import style
from analysis.measures.measure import Measure
from analysis.output import Output, slug
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import ABOUT_SCALED
from analysis.statistics.significance import SignFlips
from analysis.written import estimates
from attention_explain.files.tables import write_sealed

INCHES_A_CELL = 0.66
# Colours stay pale enough for black print on all but the strongest.
COLOURS = LinearSegmentedColormap.from_list(
    "agreement", [style.VERMILION, "#F7F7F7", style.BLUE], N=256
)
WHITE_PRINT_FROM = 0.75
# A ceiling that differs more from 1 is written.
BOUNDED = 0.005


def agreement_matrix(
    table: pandas.DataFrame, label: str, distance: bool = False, by_scaled: bool = False
) -> Figure:
    """
    table : one row per pair: `first`, `second`, `mean`, `low`, `high`, its `ceiling` if known, and
        `chance`, true where the mean is no better than chance.
    label : what the shades are.
    distance : the mean is 0 for two that agree.
    by_scaled : shades are of the `position` between chance and ceiling; else of the mean.
    """
    column = "scaled" if by_scaled else "mean"
    table = table.assign(shade=table[column])
    distance = distance and not by_scaled
    names = clustered(table, distance, column)
    cells = {frozenset((row.first, row.second)): row for row in table.itertuples()}
    shades = numpy.full((len(names), len(names)), numpy.nan)
    drawn = {
        (row, column): cells[frozenset((names[row], names[column]))]
        for row in range(len(names))
        for column in range(row)
        if frozenset((names[row], names[column])) in cells
    }
    for position, cell in drawn.items():
        shades[position] = cell.shade
    # Distances end where the largest does; agreements end at 1.
    end = numpy.nanmax(shades) if distance else 1.0
    with style.applied():
        side = INCHES_A_CELL * len(names)
        figure, axes = style.figure(side + 2.2, side + 1.2)
        one = axes[0, 0]
        # Cells as vectors: a picture of them would be larger than all the rest.
        edges = numpy.arange(len(names) + 1) - 0.5
        image = one.pcolormesh(edges, edges, shades, cmap=COLOURS, vmin=-end, vmax=end)
        # The first has no predecessor to compare with, the last no successor.
        one.set(aspect="equal", xlim=(-0.5, len(names) - 1.5), ylim=(len(names) - 0.5, 0.5))
        for (row, below), cell in drawn.items():
            _annotate(one, row, below, cell, end)
        _name(one, names)
        bar = figure.colorbar(image, ax=one, shrink=0.6, aspect=25)
        bar.set_label(style.shown(f"{label} (0 is the same)" if distance else label))
        bar.outline.set_visible(False)
        if distance:
            bar.ax.set_ylim(0, end)
    return figure


def clustered(table: pandas.DataFrame, distance: bool = False, column: str = "mean") -> list[str]:
    """The methods in the order of the leaves of a tree (average linkage), if all are compared."""
    names = list(dict.fromkeys([*table["first"], *table["second"]]))
    apart = _distances(table, names, distance, column)
    if len(names) < 3 or apart is None:
        return names
    tree = linkage(squareform(apart), method="average", optimal_ordering=True)
    return [names[leaf] for leaf in leaves_list(tree)]


def _distances(
    table: pandas.DataFrame, names: list[str], distance: bool, column: str
) -> numpy.ndarray | None:
    apart = numpy.full((len(names), len(names)), numpy.nan)
    numpy.fill_diagonal(apart, 0.0)
    positions = {name: position for position, name in enumerate(names)}
    for first, second, agreement in zip(table["first"], table["second"], table[column]):
        value = agreement if distance else 1 - agreement
        apart[positions[first], positions[second]] = apart[positions[second], positions[first]] = (
            value
        )
    return None if numpy.isnan(apart).any() else apart


def _annotate(axes: Axes, row: int, column: int, cell: Any, end: float) -> None:
    dark = abs(cell.shade) > WHITE_PRINT_FROM * end
    colour = "white" if dark else style.BLACK
    middle: dict[str, Any] = {"ha": "center", "va": "center", "color": colour}
    axes.text(column, row - 0.16, _short(cell.mean), fontsize=8, **middle)
    axes.text(
        column, row + 0.12, f"[{_short(cell.low)}, {_short(cell.high)}]", fontsize=4.8, **middle
    )
    ceiling = getattr(cell, "ceiling", numpy.nan)
    bounded = f"best {_short(ceiling)}" if abs(ceiling - 1) > BOUNDED else ""
    said = ", ".join(filter(None, [bounded, "chance" if cell.chance else ""]))
    if said:
        axes.text(column, row + 0.34, said, fontsize=4.8, style="italic", **middle)


def _short(value: float) -> str:
    """Two digits, and no sign of a zero."""
    return f"{round(value, 2) + 0.0:.2f}"


def _name(axes: Axes, names: list[str]) -> None:
    names = list(map(style.shown, names))
    last = len(names) - 1
    axes.set_xticks(range(last), names[:-1], rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(1, last + 1), names[1:])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xticks(numpy.arange(1, last) - 0.5, minor=True)
    axes.set_yticks(numpy.arange(2, last + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.5)
    axes.tick_params(which="minor", length=0)


# The value of each text, for further analyses.
INSTANCES = "instances.parquet"


def add_entries(
    output: Output,
    agreed: Sequence[Agreement],
    measures: Sequence[Measure],
    by: str,
    flips: SignFlips,
) -> pandas.DataFrame:
    """Returns the table of agreements."""
    table = agreement_table(agreed, by, flips)
    shown = shown_agreements(table)
    names = ", ".join(measure.name for measure in measures)
    caption = f"Agreement of methods by {names}: {_about(agreed)}."
    output.table("agreement", table, caption, _note(agreed), shown)
    for number, sentence in enumerate(findings(table, measures), 1):
        output.sentence(f"agreement-finding-{number}", sentence)
    _add_matrices(output, table, measures)
    _add_paired(output, agreed, flips)
    _add_apart(output, agreed)
    output.data(INSTANCES, as_parquet(instances(agreed)))
    return table


def _add_matrices(output: Output, table: pandas.DataFrame, measures: Sequence[Measure]) -> None:
    """One a model and measure; two methods need no square."""
    overall = table[table["group"] == OVERALL].dropna(subset="mean")
    for measure in measures:
        of_measure = overall[overall["measure"] == measure.name]
        for model, rows in of_measure.groupby("model", sort=False):
            if len(set(rows["first"]) | set(rows["second"])) < 3:
                continue
            rows = rows.assign(chance=no_better_than_chance(rows, measure))
            first = rows.iloc[0]
            seeds = f", {first['seeds']} seeds" if first["seeds"] > 1 else ""
            by_scaled = rows["scaled"].notna().all()
            label = (
                "agreement rescaled to chance (0) and ceiling (1)"
                if by_scaled
                else f"mean {measure.name}"
            )
            shaded = (
                "Shades: agreement rescaled to chance (0) and ceiling (1). " if by_scaled else ""
            )
            output.figure(
                slug("agreement-matrix", model, measure.name),
                agreement_matrix(rows, label, measure.distance, by_scaled),
                f"Agreement of every two methods by {measure.name}: {first['corpus']}, {model}, "
                f"{rows['texts'].max()} texts{seeds}. Mean and 95 % interval, and the ceiling where "
                f"ties make it less than 1. {shaded}Methods that agree stand together; `chance` where the "
                "mean is no better than that of scores in random order.",
            )


def _add_paired(output: Output, agreed: Sequence[Agreement], flips: SignFlips) -> None:
    about = _about(agreed)
    for name, compared, caption in (
        (
            "agreement-paired-methods",
            paired_methods(agreed, flips),
            f"Is a method nearer to this one or to that one? Differences on the same texts: {about}",
        ),
        (
            "agreement-paired-models",
            paired_models(agreed, flips),
            f"In which model do two methods agree more? Differences on the same texts: {about}",
        ),
    ):
        if compared.empty:
            continue
        shown = shown_comparisons(compared)
        some = len(shown) < len(compared)
        extract = f"{len(shown)} of {len(compared)} comparisons are shown, csv has all. "
        output.table(name, compared, f"{caption}.", (extract if some else "") + PAIRED_NOTE, shown)


def _add_apart(output: Output, agreed: Sequence[Agreement]) -> None:
    table = attention_apart(agreed)
    if table.empty:
        return
    shown = table.drop(columns=[LESS, f"{LESS} low", f"{LESS} high"])
    shown[f"{LESS} [95 %]"] = estimates(table, LESS)
    output.table(
        "agreement-apart",
        table,
        "Do methods agree with each other better than with attention? Mean scaled agreement of pairs of "
        f"methods, from chance (0) to the best that ties allow (1): {_about(agreed)}.",
        f"The difference is of the same texts. {ABOUT_INTERVALS} Pairs compared by signs, which "
        f"attention does not have, are left out; of methods that agree by more than {SAME}, all but one.",
        shown,
    )


PAIRED_NOTE = (
    f"{ABOUT_INTERVALS} p is of a sign-flip permutation test over "
    "texts, with the trained models as they are; p Holm is corrected for the number of "
    "comparisons by the same measure (and in the same model, if within one). They differ where "
    "p Holm is at most .05, and the intervals of both the difference and that of the scaled values between "
    "chance and ceiling leave out 0 on the same side: a pair is not the nearer for having fewer ties."
)


def _note(agreed: Sequence[Agreement]) -> str:
    draws = len(next(iter(agreed[0].controls.values())).value)
    note = (
        f"{ABOUT_INTERVALS} BH: share significant after Benjamini-Hochberg over the texts of a row and seed. "
        "random: noise in place of the second method; permuted: its own scores in random order "
        f"within each text, {draws} draws a text. Their intervals are where the mean over these "
        "texts falls in 95 of 100 cases at random. Undefined values are counted, not "
        f"averaged. {ABOUT_SCALED} Both are empty where the ceiling of a measure is not known. top-1: share of texts with the same first "
        "token, of tied ones each with the same probability. No better than chance, in sentences and figures, is what is not above the "
        "permuted control by both the interval of the difference and a sign-flip permutation test, "
        "Holm-corrected for the number of pairs."
    )
    return note + _about_whole_texts(agreed) + _about_signs(agreed)


def _about_whole_texts(agreed: Sequence[Agreement]) -> str:
    """Of measures of the top k that have a value where k leaves no token out."""
    lengths = agreed[0].model.files[0].table["tokens"].map(len).to_numpy()
    said = ""
    for measure in {agreement.measure.name: agreement.measure for agreement in agreed}.values():
        if measure.top_k is not None and (texts := measure.top_k.takes_all(lengths).sum()):
            said += f" {measure.name}: in {texts} of {len(lengths)} texts k is the whole text."
    return said


def _about_signs(agreed: Sequence[Agreement]) -> str:
    how = {agreement.compared for agreement in agreed}
    return "".join(f" {words}" for name, words in SIGNS.items() if name in how)


SIGNS = {
    BY_MAGNITUDE: (
        "Compared by sizes: what speaks against the class is high there, as it is in a method "
        "unsigned."
    ),
    SIGNED: "Compared by signed scores: what speaks against the class is low.",
    MIXED: (
        "Signed with unsigned: what speaks against the class is low in the one and high in the "
        "other, so that they disagree by convention."
    ),
}


def _about(agreed: Sequence[Agreement]) -> str:
    """Data, n and models, for captions."""
    models = list({agreement.model.name: agreement.model for agreement in agreed}.values())
    described = "; ".join(
        f"{model.name}, {len(model.files)} seed{'s' if len(model.files) > 1 else ''}"
        for model in models
    )
    return f"{models[0].config.corpus}, {len(models[0].files[0].table)} texts; {described}"


def instances(agreed: Sequence[Agreement]) -> pandas.DataFrame:
    """One row per text, seed and agreement, with both controls and the ceiling."""
    return pandas.concat(
        [_of_seed(agreement, seed) for agreement in agreed for seed in range(_seeds(agreement))],
        ignore_index=True,
    )


def as_parquet(table: pandas.DataFrame) -> bytes:
    """The content of a parquet file with the table, sealed against damage."""
    content = io.BytesIO()
    write_sealed(pyarrow.Table.from_pandas(table, preserve_index=False), content)
    return content.getvalue()


def _of_seed(agreement: Agreement, seed: int) -> pandas.DataFrame:
    file = agreement.model.files[seed]
    observed = agreement.observed
    unknown = numpy.full(len(file.table), numpy.nan)
    p_value = unknown if observed.p_value is None else observed.p_value[seed]
    return pandas.DataFrame(
        {
            "model": agreement.model.name,
            "file": str(file.path),
            "seed": file.model.seed,
            "id": file.table["id"].to_numpy(),
            "label": file.table["label"].to_numpy(),
            "predicted": file.table["predicted"].to_numpy(),
            "measure": agreement.measure.name,
            "first": agreement.pair.first,
            "second": agreement.pair.second,
            "compared": agreement.compared,
            "value": observed.value[seed],
            "p_value": p_value,
            "undefined": observed.undefined[seed],
            "ceiling": unknown if agreement.ceiling is None else agreement.ceiling[seed],
            "top-1": agreement.top_1.value[seed],
            **{name: agreement.controls[name].expected[seed] for name in CONTROLS},
        }
    )


def _seeds(agreement: Agreement) -> int:
    return len(agreement.model.files)
