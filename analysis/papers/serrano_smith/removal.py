"""Serrano & Smith 2019: how many weights must go, one after the other, until the decision flips?"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL, groups
from analysis.claims.table_rows import TableRow, TypedTable, estimated, paired
from analysis.figures.violins import Violins, violins
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.paper import PERTURBED, Exhibit, Method
from analysis.papers.shared.per_text import check, sample
from analysis.papers.shared.published import about, readable
from analysis.papers.shared.study_files import described
from analysis.statistics.intervals import ABOUT_INTERVALS, mean_of_known
from analysis.statistics.samples import Sample, summaries
from analysis.statistics.significance import difference_columns
from analysis.written import Estimate, interval_column

ORDERS = {
    "attention": "attention",
    "gradient": "gradient",
    "gradient_x_attention": "gradient x attention",
    "random": "random",
}
SHOWN = ("corpus", "model", "predicted", "order", "mean", "interval", "median")
SHOWN += ("attention less", "of the difference", "flipped", "n")


@dataclass(frozen=True, kw_only=True)
class RemovedRow(TableRow):
    """
    predicted : the class, or `overall`.
    order : in which weights are removed.
    fraction : removed until the decision flips.
    attention_less : what the order of attention needs more, on the same texts.
    """

    predicted: str
    order: str
    fraction: Estimate = estimated()
    attention_less: Optional[Estimate] = paired("attention less")


REMOVED_TABLE = TypedTable("serrano-smith-removal", RemovedRow)


def _removed(order: str, field: str) -> Method:
    return Method("removal-order", "removal order", check=f"{order}_{field}")


REMOVAL = tuple(_removed(order, field) for order in ORDERS for field in ("fraction", "flipped"))


def removal_samples(model: Model) -> Dict[str, Sample]:
    """
    For each order the fraction of weights removed at the flip, of the texts that flip in all
    orders, as published.
    """
    flipped = [sample(model, check(_removed(order, "flipped"))).value == 1 for order in ORDERS]
    every = numpy.logical_and.reduce(flipped)
    return {
        order: sample(model, check(_removed(order, "fraction"))).where(every) for order in ORDERS
    }


def removal_rows(model: Model) -> List[Dict[str, Any]]:
    """From the perturbation files of a model: a row for each order and class."""
    samples, members = removal_samples(model), groups(model, "predicted")
    keys = [(order, name) for order in ORDERS for name in members]
    summarised = summaries([samples[order].where(members[name]) for order, name in keys])
    flips = {order: sample(model, check(_removed(order, "flipped"))) for order in ORDERS}
    return [
        {
            **about(model),
            "predicted": name,
            "order": ORDERS[order],
            "flipped": float(mean_of_known(flips[order].where(members[name]).value, (0, 1))),
            **row,
            **difference_columns(
                "attention less",
                *(samples[one].where(members[name]).value for one in ("attention", order)),
                one_model=True,
            ),
        }
        for (order, name), row in zip(keys, summarised, strict=True)
    ]


def removal(models: Sequence[Model], output: Output) -> None:
    """Adds the table, a figure and one sentence per model on how many weights have to go."""
    table = pandas.DataFrame([row for model in models for row in removal_rows(model)])
    ends = interval_column(table, "attention less")
    shown = table.assign(**{"of the difference": ends})
    output.table(
        REMOVED_TABLE.name,
        table,
        "The fraction of tokens whose weights have to go, one after the other, until the decision "
        f"flips, by the order in which they go (Serrano & Smith 2019). {described(models)}.",
        "A good order needs few. Attention less: what the order of attention needs more, on the "
        "same texts, with its interval. Of the texts whose decision flips in every order (n); `flipped`: "
        f"the share of all texts whose decision flips in that order at all. {ABOUT_INTERVALS}",
        readable(shown, SHOWN),
    )
    panels = [
        Violins(
            f"{model.config.corpus}, {model.name}",
            {
                "all": {
                    ORDERS[order].replace(" x ", "\nx "): one.value.ravel()
                    for order, one in removal_samples(model).items()
                }
            },
        )
        for model in models
    ]
    output.figure(
        "serrano-smith-removal-violins",
        violins(panels, "order of removal", "fraction removed", top=1.0, legend=False),
        "The fraction of tokens removed when the decision first flips, by the order in which they "
        f"go, of the texts that flip in every order. {described(models)}.",
        "Bar: the middle half of the texts; dot: median; below each order: the number of texts.",
    )
    _findings(table, output)


def _findings(table: pandas.DataFrame, output: Output) -> None:
    overall = table[(table["predicted"] == OVERALL) & (table["n"] > 0)]
    for key, rows in overall.groupby(["corpus", "model"], sort=False):
        best = rows.loc[rows["mean"].idxmin()]
        by_attention = rows[rows["order"] == "attention"].iloc[0]
        quicker = (
            f"the quickest order is {best['order']} with {100 * best['mean']:.0f} %"
            if best["mean"] < by_attention["mean"]
            else "no order is quicker"
        )
        output.sentence(
            slug("serrano-smith-removal-finding", *key),
            f"{', '.join(key)}: the decision flips when {100 * by_attention['mean']:.0f} % of the "
            f"tokens are gone in the order of attention; {quicker} (n = {best['n']}).",
        )


EXHIBIT = Exhibit(REMOVED_TABLE.name, REMOVAL, removal, of=PERTURBED)
