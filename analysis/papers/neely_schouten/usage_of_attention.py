"""
Neely & Schouten 2020, section 7: can attention be replaced in those models that make little use of it? The paper proposes
this figure without drawing it.
"""

from dataclasses import dataclass
from typing import Any

import numpy
import pandas
from matplotlib.figure import Figure
from scipy.stats import spearmanr

from analysis.claims.table_rows import TableRow, TypedTable
from analysis.errors import AnalysisError
from analysis.figures.scatter import Scatter, Spot, scatters, told
from analysis.output import Output
from analysis.papers.shared.divergence import BOUND, divergence, per_instance
from analysis.papers.shared.families import ModelFamily, families
from analysis.papers.shared.paper import Method, OverStudies
from analysis.papers.shared.per_text import check
from analysis.papers.shared.published import with_intervals
from analysis.papers.shared.reached import f1_of_files
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import NOTHING, nothing_to_judge
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import Sample, summary
from analysis.written import Estimate, number

# An adversary whose outputs are further away on average counts as another model.
MOST_TVD = 0.1
UNIFORM_TVD = Method("uniform", "uniform", check="tvd")
USAGE = {"drop": "drop of F1 with uniform attention", "change": "TVD under uniform attention"}
FREEDOM = {
    "trained": f"JSD of the best adversary (TVD <= {MOST_TVD:g})",
    "instance": "mean max JSD of each text",
}
UPWARDS = {
    "trained": "JSD of the best adversary (nats)",
    "instance": "mean max JSD of each text (nats)",
}
FIGURE = (
    "The attention that adversaries reach against the use that a model makes of its own, one point a data "
    "set and model."
)
# A correlation over fewer points is meaningless.
LEAST_POINTS = 4
COLUMNS = {
    "drop": "drop of F1",
    "change": "TVD, uniform",
    "trained": "JSD, best adversary",
    "instance": "mean max JSD",
}


@dataclass(frozen=True, kw_only=True)
class UsageRow(TableRow):
    """
    Use of attention, and freedom of adversaries.

    change : the change of the output under uniform attention (TVD).
    instance : the mean divergence of the adversary that is searched per text (JSD).
    """

    change: float
    instance: float


USE = TypedTable("neely-schouten-usage", UsageRow)


def usage(study: StudyFiles, output: Output) -> str | None:
    """Add the table, a figure and correlations; return a sentence on models left out, if any."""
    all_families, left_out = families(study)
    rows = [row for row in map(_row, all_families) if _has_both(row)]
    if not rows:
        raise AnalysisError(
            "it takes, of one model, what uniform attention does (the attribution file of its "
            "uniform sibling, or its perturbation file with `uniform`) and what adversaries do "
            "(their attribution files, or its perturbation file with `instance-adversary`)"
        )
    table = pandas.DataFrame(rows)
    described = "; ".join(family.described for family in all_families)
    output.table(
        USE.name,
        table,
        "What a model loses when attention is made uniform, and how far its attention can be "
        f"moved without harm (Neely & Schouten 2020, section 7). {described}.",
        _note(),
        _shown(table),
    )
    figure = usage_figure(table)
    if figure is not None:
        output.figure(f"{USE.name}-figure", figure, f"{FIGURE} {described}.", _note())
    for up in FREEDOM:
        for across in USAGE:
            sentence = correlation(table, across, up)
            if sentence:
                output.sentence(f"{USE.name}-{across}-{up}", sentence)
    return left_out


def each_once(table: pandas.DataFrame) -> pandas.DataFrame:
    """The rows of several studies, with each model once."""
    names = ("corpus", "model", *USAGE, *FREEDOM)
    return table.drop_duplicates([name for name in names if name in table], ignore_index=True)


def usage_figure(table: pandas.DataFrame) -> Figure | None:
    """The figure of the rows of one study or of several; None if there is nothing to show."""
    panels = told(
        Scatter(USAGE[across], UPWARDS[up], _spots(table, across, up))
        for up in FREEDOM
        for across in USAGE
        if _known(table, across, up).any()
    )
    if not panels:
        return None
    lowest = min(
        numpy.nanmin([spot.up, spot.up_interval[0]]) for panel in panels for spot in panel.spots
    )
    # Far above 0 points would overlap, so the axis starts at the next lower tenth.
    return scatters(panels, top=BOUND, bottom=max(0.0, numpy.floor(10 * lowest) / 10), bound=True)


def _note() -> str:
    return (
        "Drop of F1: between the model and one trained with uniform attention. TVD under uniform "
        "attention: of the output, when the trained model's own weights are made uniform. Best "
        f"adversary: the largest mean JSD among those trained with a mean TVD of at most "
        f"{MOST_TVD:g}. Mean max JSD: of the adversary searched for each text, 0 where none was "
        f"found. {ABOUT_INTERVALS} If usage is the hidden variable, points with little use lie "
        "high. Dotted: the largest JSD that there can be, log 2."
    )


def _row(family: ModelFamily) -> dict[str, Any]:
    return {
        "corpus": family.base.model.corpus,
        "model": family.name,
        "encoder": family.base.model.encoder,
        "protocol": family.protocol,
        "n": len(family.base.table),
        NOTHING: nothing_to_judge(family.files),
        **_drop(family).columns("drop"),
        **_change(family).columns("change"),
        **_trained(family).columns("trained"),
        **_instance(family).columns("instance"),
    }


UNKNOWN = Estimate(numpy.nan, numpy.nan, numpy.nan)


def _drop(family: ModelFamily) -> Estimate:
    if family.uniform is None:
        return UNKNOWN
    return f1_of_files(family.files).less(f1_of_files(family.uniform.files))


def _change(family: ModelFamily) -> Estimate:
    files = [file for _, file in family.perturbed if not UNIFORM_TVD.problem(file)]
    values = [check(UNIFORM_TVD)(file) for file in files]
    return Estimate.of(summary(Sample.of(values))) if files else UNKNOWN


def _trained(family: ModelFamily) -> Estimate:
    rows = [divergence(family.pairs(model)).rows() for model in family.adversaries_of(frozen=False)]
    near = [row for row in rows if row["tvd"] <= MOST_TVD]
    return Estimate.of(max(near, key=lambda row: row["jsd"]), "jsd") if near else UNKNOWN


def _instance(family: ModelFamily) -> Estimate:
    moved = per_instance(family)
    return UNKNOWN if moved is None else Estimate.of(summary(moved.jsd))


def _has_both(row: dict[str, Any]) -> bool:
    return all(any(numpy.isfinite(row[name]) for name in names) for names in (USAGE, FREEDOM))


def _known(table: pandas.DataFrame, across: str, up: str) -> pandas.Series:
    """Which rows have both values; the table may lack either column."""
    return pandas.Series(
        [
            pandas.notna(row.get(across)) and pandas.notna(row.get(up))
            for _, row in table.iterrows()
        ],
        index=table.index,
        dtype=bool,
    )


def _spots(table: pandas.DataFrame, across: str, up: str) -> list[Spot]:
    return [
        Spot(
            name="",
            series=row["corpus"],
            shape=row["model"],
            across=row[across],
            up=row[up],
            across_interval=_interval(row, across),
            up_interval=_interval(row, up),
        )
        for row in table[_known(table, across, up)].to_dict("records")
    ]


def _interval(row: dict[str, Any], name: str) -> tuple[float, float]:
    return row.get(f"{name} low", numpy.nan), row.get(f"{name} high", numpy.nan)


def correlation(table: pandas.DataFrame, across: str, up: str) -> str:
    """A sentence on Spearman's correlation; empty for too few models or constant values."""
    known = table[_known(table, across, up)]
    if len(known) < LEAST_POINTS or min(known[across].nunique(), known[up].nunique()) < 2:
        return ""
    rank_correlation = spearmanr(known[across], known[up])
    return (
        f"Over {len(known)} models, Spearman's correlation of {USAGE[across]} with {FREEDOM[up]} "
        f"is {rank_correlation.statistic:.2f} (p = {number(rank_correlation.pvalue)})."
    )


def _shown(table: pandas.DataFrame) -> pandas.DataFrame:
    return with_intervals(table[["corpus", "model"]], table, COLUMNS).assign(n=table["n"])


OVER_STUDIES = OverStudies(
    "usage",
    USE.name,
    "Adversaries against the use of attention",
    "*Neely & Schouten's section 7: how far adversaries get against what a model loses without "
    "its attention, one point per data set, model and training ([numbers]({rows})). Left of 0 uniform attention does "
    "better; dotted: the largest divergence.*",
    each_once,
    usage_figure,
)
