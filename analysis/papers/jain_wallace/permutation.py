"""Jain & Wallace 2019, section 4.2.1: does the output change when attention is permuted?"""

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence

import pandas

from analysis.agreement.agreement_table import OVERALL, groups
from analysis.claims.table_rows import TableRow, TypedTable, estimated
from analysis.figures.violins import Violins, violins
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.bins import ALL, bins_of, by_bin, classes_of
from analysis.papers.shared.paper import PERTURBED, Exhibit, Method
from analysis.papers.shared.per_text import check, sample
from analysis.papers.shared.published import about, readable
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS
from analysis.statistics.samples import summaries
from analysis.written import Estimate, number

MEDIAN = Method("permutation", "permutation", check="median_tvd")
LARGEST = Method("permutation", "permutation", check="max_attention")


@dataclass(frozen=True, kw_only=True)
class PermutedRow(TableRow):
    """
    predicted : the class, or `overall`.
    max_attention : the bin of the largest weight, or `all`.
    change : of the output, the mean over texts of the medians over permutations.
    """

    predicted: str
    max_attention: str
    change: Estimate = estimated(difference=True)


PERMUTATION = TypedTable("jain-wallace-permutation", PermutedRow)
SHOWN = ("corpus", "model", "predicted", "max attention", "mean", "interval", "median", "std", "n")


def rows_of(model: Model) -> List[Dict[str, Any]]:
    """
    From the perturbation files of a model: a row for each predicted class and bin of the largest
    weight, and for all of them together.
    """
    values, weights = sample(model, check(MEDIAN)), sample(model, check(LARGEST)).value
    bins = {ALL: weights == weights, **bins_of(weights)}
    keys = [(name, of) for name in groups(model, "predicted") for of in bins]
    members = groups(model, "predicted")
    parts = [values.where(members[name] & bins[of]) for name, of in keys]
    return [
        {**about(model), "predicted": name, "max attention": of, **row}
        for (name, of), row in zip(keys, summaries(parts), strict=True)
        if row["n"] or of == ALL
    ]


def permutation(models: Sequence[Model], output: Output) -> None:
    """Adds the table, a figure and one sentence per model on what permuted attention changes."""
    table = pandas.DataFrame([row for model in models for row in rows_of(model)])
    output.table(
        PERMUTATION.name,
        table,
        "Median change of the output (total variation distance) over permutations of attention, by "
        f"predicted class and by the largest weight. {described(models)}.",
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
        f"text by text, by the largest weight and by predicted class. {described(models)}.",
        "Bar: the middle half of the texts; dot: median; below each group: the number of texts of "
        "each class. Groups of fewer than 8 texts are drawn text by text.",
    )
    for model in models:
        name = slug("jain-wallace-permutation-finding", model.config.corpus, model.name)
        output.sentence(name, _finding(table, model))


def _finding(table: pandas.DataFrame, model: Model) -> str:
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


EXHIBIT = Exhibit(PERMUTATION.name, (MEDIAN, LARGEST), permutation, of=PERTURBED)
