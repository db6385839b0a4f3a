"""
Mohankumar et al. 2020, "Towards Transparent and Explainable Attention Models", with the rerun of Bouwman et al. 2021
(ReScience C): its claims on printed numbers. No study trains these models yet.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pandas

from analysis.claims.claim import Judgement, above
from analysis.claims.table_rows import (
    TableRow,
    Tables,
    TypedTable,
    estimated,
    first_where,
    group_rows,
)
from analysis.papers.shared.paper import Paper, declared_claims
from analysis.papers.shared.published import as_printed, read_published
from analysis.written import Estimate, average

VANILLA = "vanilla"
DIVERSITY, ORTHOGONAL = "diversity", "orthogonal"
MODEL = {"encoder": "lstm", "attention": "tanh"}
PAPER_SOURCE, RERUN = "paper", "rerun"
# The largest loss of accuracy that counts as little: in print .025 is the most on most corpora.
LITTLE = 0.03


@dataclass(frozen=True, kw_only=True)
class NumberRow(TableRow):
    """
    A number of one model.

    training : `vanilla`, `diversity` or `orthogonal`.
    quantity : what the number is.
    method : the method that attention is compared with, if it is.
    """

    training: str
    quantity: str
    method: str = ""
    value: Estimate = estimated("value")


TABLE_2 = TypedTable("mohankumar-table-2", NumberRow)
FIGURE_3 = TypedTable("mohankumar-figure-3", NumberRow)
TABLE_3 = TypedTable("mohankumar-table-3", NumberRow)
TABLE_4 = TypedTable("mohankumar-table-4", NumberRow)
PUBLISHED = {
    TABLE_2: "table2_accuracy_conicity",
    FIGURE_3: "figure3_fraction_to_flip",
    TABLE_3: "table3_rationales",
    TABLE_4: "table4_gradients",
}


def changes(
    tables: Tables, table: TypedTable[NumberRow], quantity: str, sign: int, bound: float = 0.0
) -> Iterator[Judgement]:
    """
    The change of a number from the vanilla model to each of the others, times the sign, is above the bound; over
    several methods, their mean.
    """
    rows = tables.rows(table, quantity=quantity)
    for _, of_corpus in group_rows(rows, "corpus", "model", "protocol"):
        parts = []
        for training in (DIVERSITY, ORTHOGONAL):
            changed = list(_changed(of_corpus, training, sign))
            if changed:
                words = f"{quantity}, {training} less {VANILLA}{'' if sign > 0 else ', negative'}:"
                parts.append(above(words, average(changed), bound))
        if parts:
            yield Judgement.of(of_corpus[0], *parts)


def _changed(rows: list[NumberRow], training: str, sign: int) -> Iterator[Estimate]:
    for _, alike in group_rows(rows, "method"):
        before, after = (first_where(alike, training=name) for name in (VANILLA, training))
        if before is not None and after is not None:
            less = after.value.minus(before.value)
            yield less if sign > 0 else less.negative()


def in_print() -> dict[str, pandas.DataFrame]:
    """The printed numbers as claims read them; those of the rerun are another protocol."""
    return {table.name: _printed(name) for table, name in PUBLISHED.items()}


def _printed(name: str) -> pandas.DataFrame:
    table = read_published(f"mohankumar/{name}")
    ends = {
        f"value {end}": table["value"] + sign * table["rounding"]
        for end, sign in (("low", -1), ("high", 1))
    }
    protocol = table["source"].replace({PAPER_SOURCE: ""})
    return as_printed(table.assign(**MODEL, **ends, protocol=protocol))


CLAIMS = declared_claims(
    __file__,
    {
        "states-become-diverse": (
            TABLE_2,
            partial(changes, table=TABLE_2, quantity="conicity", sign=-1),
        ),
        "diverse-at-little-cost": (
            TABLE_2,
            partial(changes, table=TABLE_2, quantity="accuracy", sign=1, bound=-LITTLE),
        ),
        "fewer-weights-to-flip": (
            FIGURE_3,
            partial(changes, table=FIGURE_3, quantity="attention order", sign=-1),
        ),
        "attends-to-rationales": (
            TABLE_3,
            partial(changes, table=TABLE_3, quantity="attention on rationale", sign=1),
        ),
        "correlates-with-gradients": (
            TABLE_4,
            partial(changes, table=TABLE_4, quantity="pearson", sign=1),
        ),
        "nearer-to-gradients": (
            TABLE_4,
            partial(changes, table=TABLE_4, quantity="jsd", sign=-1),
        ),
    },
    {"LITTLE": LITTLE},
)

PAPER = Paper("mohankumar", "Mohankumar et al. 2020", claims=CLAIMS, in_print=in_print, order=3)
