"""
Neely & Schouten's agreement on the top k, scored as they did and as Fagin et al. define it, each
beside what chance gives: is the headline more than that?
"""

from dataclasses import dataclass
from itertools import chain
from typing import List, Sequence

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL
from analysis.agreement.agreements import Agreement
from analysis.claims.table_rows import TypedTable, estimated
from analysis.figures.chance import Mark, on_chance_bands
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.neely_schouten.beside_chance import beside_chance
from analysis.papers.shared.agreeing import add_differences, agreed, rows_of
from analysis.papers.shared.agreement_rows import AgreementRow, DifferenceRow
from analysis.papers.shared.methods import JAIN_WALLACE_PAIRS as PAIRS
from analysis.papers.shared.published import OURS_SELECTED, beside, published, with_difference
from analysis.papers.shared.study_files import by_corpus, described
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.written import Estimate, interval_column


@dataclass(frozen=True, kw_only=True)
class TopKRow(AgreementRow):
    """above_permuted : the mean less that of permuted scores, which every row of this table has."""

    above_permuted: Estimate = estimated("above permuted", difference=True)


TOP_K = TypedTable("neely-schouten-table-2", TopKRow)
DIFFERENCES = TypedTable("neely-schouten-table-2-differences", DifferenceRow)
AS_PUBLISHED = "as-published"
FAGIN = "fagin"
NON_ZERO = "non-zero"
# Projections that leave no weight at 0, for which non-zero is all.
DENSE = ("softmax", "uniform")
# The same row by either measure.
ROW = ["corpus", "model", "k", "importance", "predicted"]
NOTE = (
    "As published: the score used in the paper, which forgets pairs of which one token is in the "
    "one list only and the other in the other list only, so that lists that share nothing score "
    "near 1. Fagin: the definition (Fagin et al. 2003), lists that share nothing score -1. Random "
    "and permuted: the same score with noise, or with the importance in random order, in place of "
    "the importance; fagin place: between the permuted control (0) and the best that ties allow (1). "
    f"Published values are selected on dev. {OURS_SELECTED} {ABOUT_INTERVALS}"
)


OF_ATTENTION = tuple(pair for pair in PAIRS if pair[0].name == "attention")


def top_k_agreements(model: Model) -> List[Agreement]:
    """
    Of attention with each importance, for each k that tells anything of the model, by both
    measures.
    """
    return agreed(model, OF_ATTENTION, _measures(model))


def top_k_rows(of_models: Sequence[Sequence[Agreement]]) -> pandas.DataFrame:
    """
    From the agreements of each model: a row for each k, importance, predicted class and measure,
    with the chance band and what was published.
    """
    table = pandas.concat([rows_of(one, OF_ATTENTION) for one in of_models], ignore_index=True)
    table[["measure", "k"]] = table["measure"].str.split(":k=", expand=True)
    table["chance low"] = table[["random low", "permuted low"]].min(axis=1)
    table["chance high"] = table[["random high", "permuted high"]].max(axis=1)
    theirs = published("neely_schouten/table2_top_k")
    theirs = theirs.assign(encoder="bilstm", measure=AS_PUBLISHED)
    return with_difference(beside(table, theirs), "published")


def _measures(model: Model) -> List[str]:
    sizes = ["average-length", "all"]
    if model.config.projection not in DENSE:
        sizes.append(NON_ZERO)
    return [f"{measure}:k={k}" for k in sizes for measure in (AS_PUBLISHED, FAGIN)]


def table_2(models: Sequence[Model], output: Output) -> None:
    """
    Adds the table, that of the differences between its rows, and for each corpus a figure and a
    sentence.
    """
    of_models = list(map(top_k_agreements, models))
    table = top_k_rows(of_models)
    output.table(
        TOP_K.name,
        table,
        "Agreement of attention with gradient and leave-one-out on the top k tokens, scored as "
        "published and as Fagin et al. define it, beside Neely & Schouten (2020), Table 2. "
        f"{described(models)}.",
        NOTE,
        side_by_side(table),
    )
    add_differences(output, DIFFERENCES.name, list(chain.from_iterable(of_models)))
    for corpus, several in by_corpus(models).items():
        rows = table[(table["corpus"] == corpus) & (table["predicted"] != OVERALL)]
        text = beside_chance(rows)
        output.sentence(slug("neely-schouten-beside-chance", corpus), f"{corpus}: {text}")
        marks = _marks(rows[rows["mean"].notna()])
        if not marks:
            continue
        output.figure(
            slug("neely-schouten-chance", corpus),
            on_chance_bands(marks, "mean agreement"),
            f"Agreement of attention with importance on the top k tokens, beside chance. {text} "
            f"{described(several)}.",
            f"Lines: interval of the mean. {ABOUT_INTERVALS} Bands: where the mean lies if random "
            "scores, or the same scores in random order, take the place of the importance (95 %). "
            "What shares nothing with the band is above or below it, the rest inside.",
        )


def side_by_side(table: pandas.DataFrame) -> pandas.DataFrame:
    """From the whole table what people read, with one row for both measures."""
    table = table.assign(interval=interval_column(table))
    numbers = ["mean", "interval", "random mean", "permuted mean"]
    one, other = (
        table[table["measure"] == measure].set_index(ROW) for measure in (AS_PUBLISHED, FAGIN)
    )
    shown = one[["published", *numbers, "difference", "n", "undefined"]].join(
        other[[*numbers, "place"]].add_prefix("fagin ")
    )
    order = ["published", "mean", "interval", "difference", "random mean", "permuted mean"]
    order += [f"fagin {name}" for name in [*numbers, "place"]] + ["n", "undefined"]
    names = {name: name.removesuffix(" mean") for name in order} | {"mean": AS_PUBLISHED}
    return shown[order].rename(columns=names).reset_index()


def _marks(table: pandas.DataFrame) -> List[Mark]:
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
