"""Serrano & Smith 2019, "Is Attention Interpretable?"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas

from analysis.agreement.agreement_table import OVERALL, groups
from analysis.claims.claim import Judgement, above
from analysis.claims.table_rows import (
    TableRow,
    Tables,
    TypedTable,
    estimated,
    first_where,
    group_rows,
    paired,
)
from analysis.figures.violins import Violins, violins
from analysis.models import Model
from analysis.output import Output, slug
from analysis.papers.shared.paper import PERTURBED, Exhibit, Method, Paper, declared_claims
from analysis.papers.shared.per_text import bin_texts, check, largest_weights, sample
from analysis.papers.shared.published import about, readable
from analysis.papers.shared.study_files import describe
from analysis.statistics.intervals import ABOUT_INTERVALS, mean_of_known
from analysis.statistics.samples import Sample, summaries
from analysis.statistics.significance import difference_columns, paired_in_one_model
from analysis.written import Estimate, interval_column

DROPPED = ("top", "random")
EFFECTS = {"tvd": "change of output", "jsd": "JSD of outputs", "flip": "share of flips"}


@dataclass(frozen=True, kw_only=True)
class DroppedRow(TableRow):
    """
    The effect of setting one weight to 0.

    predicted : the class, or `overall`.
    effect : one of `EFFECTS`.
    top, random : the effect for the largest weight, and for a random other one.
    difference : top less random, on the same texts.
    """

    predicted: str
    effect: str
    top: float
    random: float
    difference: Estimate = estimated(mean="difference", difference=True)


DROPPED_TABLE = TypedTable("serrano-smith-drop-top", DroppedRow)


def _dropped(which: str, effect: str) -> Method:
    return Method("drop-top", "drop top", check=f"{which}_{effect}")


DROP_TOP = tuple(_dropped(which, effect) for which in DROPPED for effect in EFFECTS)


def drop_rows(model: Model) -> list[dict[str, Any]]:
    """One row per effect and class: the effect of the largest weight less that of another."""
    rows = []
    members = groups(model, "predicted")
    for effect, title in EFFECTS.items():
        top, other = (sample(model, check(_dropped(which, effect))) for which in DROPPED)
        first, second = (
            numpy.array([one.where(member).value for member in members.values()])
            for one in (top, other)
        )
        compared = paired_in_one_model(first, second)
        for position, name in enumerate(members):
            row = {column: values[position] for column, values in compared.items()}
            row = {"top": row.pop("first mean"), "random": row.pop("second mean"), **row}
            rows.append({**about(model), "predicted": name, "effect": title, **row})
    return rows


def drop_top(models: Sequence[Model], output: Output) -> None:
    """Add the table and a figure on the effect of setting one weight to 0."""
    table = pandas.DataFrame([row for model in models for row in drop_rows(model)])
    shown = table.assign(interval=interval_column(table)).rename(columns={"texts": "n"})
    columns = ["corpus", "model", "predicted", "effect", "top", "random", "difference", "interval"]
    output.table(
        DROPPED_TABLE.name,
        table,
        "What happens when the largest weight of attention is set to 0, and when that of another "
        f"token at random is (Serrano & Smith 2019). {describe(models)}.",
        "The rest of the weights is renormalised. Difference: of the same texts, with its "
        f"interval; p: sign-flip permutation test. {ABOUT_INTERVALS} Texts with all weight on one "
        "token are left out.",
        shown[[*columns, "p", "n"]],
    )
    output.figure(
        "serrano-smith-drop-top-violins",
        violins(
            list(map(_drop_panel, models)), "largest weight of attention", f"{EFFECTS['tvd']} (TVD)"
        ),
        "Change of the output (total variation distance) when the largest weight of attention is "
        "set to 0, and when that of another token at random is, text by text, by the largest "
        f"weight. {describe(models)}.",
        "Bar: the middle half of the texts; dot: median; below each group: the number of texts of "
        "each series.",
    )


def _drop_panel(model: Model) -> Violins:
    bins = bin_texts(largest_weights([file.attention for file in model.files]))
    values = {which: sample(model, check(_dropped(which, "tvd"))).value for which in DROPPED}
    return Violins(
        f"{model.config.corpus}, {model.name}",
        {
            f"{which} weight set to 0": {name: one[inside] for name, inside in bins.items()}
            for which, one in values.items()
        },
    )


ORDERS = {
    "attention": "attention",
    "gradient": "gradient",
    "gradient_x_attention": "gradient x attention",
    "random": "random",
}
SHOWN = ["corpus", "model", "predicted", "order", "mean", "interval", "median"]
SHOWN += ["attention less", "of the difference", "flipped", "n"]


@dataclass(frozen=True, kw_only=True)
class RemovedRow(TableRow):
    """
    The fraction of weights removed until the decision flips.

    predicted : the class, or `overall`.
    order : the order of removal.
    fraction : the fraction at the flip.
    attention_less : the fraction in the order of attention less this one, on the same texts.
    """

    predicted: str
    order: str
    fraction: Estimate = estimated()
    attention_less: Estimate | None = paired("attention less")


REMOVED_TABLE = TypedTable("serrano-smith-removal", RemovedRow)


def _removed(order: str, field: str) -> Method:
    return Method("removal-order", "removal order", check=f"{order}_{field}")


REMOVAL = tuple(_removed(order, field) for order in ORDERS for field in ("fraction", "flipped"))


def removal_samples(model: Model) -> dict[str, Sample]:
    """By order, the fraction removed at the flip, for texts that flip in all orders."""
    flipped = [sample(model, check(_removed(order, "flipped"))).value == 1 for order in ORDERS]
    every = numpy.logical_and.reduce(flipped)
    return {
        order: sample(model, check(_removed(order, "fraction"))).where(every) for order in ORDERS
    }


def removal_rows(model: Model) -> list[dict[str, Any]]:
    """One row per order and class, from the perturbation files of a model."""
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
                samples["attention"].where(members[name]).value,
                samples[order].where(members[name]).value,
                one_model=True,
            ),
        }
        for (order, name), row in zip(keys, summarised, strict=True)
    ]


def removal(models: Sequence[Model], output: Output) -> None:
    """Add the table, a figure and one sentence per model on the weights to remove until the decision flips."""
    table = pandas.DataFrame([row for model in models for row in removal_rows(model)])
    ends = interval_column(table, "attention less")
    shown = table.assign(**{"of the difference": ends})
    output.table(
        REMOVED_TABLE.name,
        table,
        "The fraction of tokens whose weights have to go, one after the other, until the decision "
        f"flips, by the order in which they go (Serrano & Smith 2019). {describe(models)}.",
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
        f"go, of the texts that flip in every order. {describe(models)}.",
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


def top_matters_more(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(DROPPED_TABLE, predicted="overall", effect=EFFECTS["jsd"], role="plain"):
        words = f"JSD of outputs {row.top:.4f}, random {row.random:.4f}; difference"
        yield Judgement.of(row, above(words, row.difference))


def not_the_best_order(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(REMOVED_TABLE, predicted="overall", role="plain")
    for _, orders in group_rows(rows, "corpus", "model", "protocol"):
        attention = first_where(orders, order="attention")
        parts = []
        for order in ("gradient", "gradient x attention"):
            other = first_where(orders, order=order)
            if attention and other:
                more = attention.fraction.minus(other.fraction, other.attention_less)
                parts.append(above(f"share removed, attention less {order}:", more))
        if parts:
            yield Judgement.of(orders[0], *parts)


CLAIMS = declared_claims(
    __file__,
    {
        "top-matters-more": (DROPPED_TABLE, top_matters_more),
        "not-the-best-order": (REMOVED_TABLE, not_the_best_order),
    },
)


PAPER = Paper(
    "serrano-smith",
    "Serrano & Smith 2019",
    exhibits=(
        Exhibit(DROPPED_TABLE.name, DROP_TOP, drop_top, of=PERTURBED),
        Exhibit(REMOVED_TABLE.name, REMOVAL, removal, of=PERTURBED),
    ),
    claims=CLAIMS,
)
