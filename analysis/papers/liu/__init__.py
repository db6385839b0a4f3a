"""
Liu et al. 2022, "Rethinking Attention-Model Explainability through Faithfulness Violation Test": how often the token
with the largest score has an effect of the other sign, and comprehensiveness on bAbI 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

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
from analysis.papers.shared.paper import Paper, declared_claims, declared_printed
from analysis.papers.shared.published import as_printed, read_published
from analysis.written import Estimate

VIOLATION, COMPREHENSIVENESS = "violation", "comprehensiveness"
# The methods that the paper compares with attention, and the removal that both have.
GRADIENTS = ("attention-x-gradient", "gradient-x-input", "integrated-gradients")
REMOVAL = "delete"
# The shares of tokens that their mean is over.
SHARES = (0.05, 0.1, 0.2, 0.5)
KEYS = ["corpus", "encoder", "attention", "method", "erasure"]


@dataclass(frozen=True, kw_only=True)
class MeasureRow(TableRow):
    """A measure of faithfulness for one method."""

    measure: str
    erasure: str
    method: str
    value: Estimate = estimated(mean="mean")


VALUES = TypedTable("faithfulness-values", MeasureRow)


def violates_more(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(VALUES, measure=VIOLATION, erasure=REMOVAL, role="plain")
    for _, of_model in group_rows(rows, "corpus", "model", "protocol"):
        own = first_where(of_model, method="attention")
        others = [first_where(of_model, method=name) for name in GRADIENTS]
        parts = [
            above(
                f"violation ratio of attention less that of {row.method}:",
                own.value.minus(row.value),
            )
            for row in others
            if own is not None and row is not None
        ]
        if parts:
            yield Judgement.of(of_model[0], *parts)


def in_print() -> dict[str, pandas.DataFrame]:
    """The violation ratios of the released notebooks as claims read them."""
    table = read_published("liu/violation").assign(measure=VIOLATION)
    return {VALUES.name: as_printed(table, mean=5)}


def with_violation(table: pandas.DataFrame) -> pandas.DataFrame:
    """Our violation ratios, with the published ones."""
    if not set(KEYS) <= set(table):
        return table.iloc[:0]
    ours = table[table["measure"] == VIOLATION]
    theirs = read_published("liu/violation").rename(columns={"mean": "published"})
    return ours.merge(theirs, on=KEYS, how="inner")


def with_comprehensiveness(table: pandas.DataFrame) -> pandas.DataFrame:
    """Our comprehensiveness as theirs, the mean over these shares of tokens, with the published one."""
    if not set(KEYS) <= set(table):
        return table.iloc[:0]
    ours = table[(table["measure"] == COMPREHENSIVENESS) & table["k"].isin(SHARES)]
    names = [name for name in ("seeds", "protocol", "model") if name in ours]
    # Shares of one text vary together.
    means = ours.groupby([*KEYS, *names], sort=False)[["mean", "low", "high"]].mean().reset_index()
    theirs = read_published("liu/babi1").rename(columns={COMPREHENSIVENESS: "published"})
    return means.merge(theirs[[*KEYS, "published"]], on=KEYS, how="inner")


CHOSEN = {"faithfulness-values": with_violation, "faithfulness-delete": with_comprehensiveness}
PRINTED = tuple(replace(one, chosen=CHOSEN[one.table]) for one in declared_printed(__file__, {}))
CLAIMS = declared_claims(__file__, {"attention-violates-signs": (VALUES, violates_more)})

PAPER = Paper("liu", "Liu et al. 2022", claims=CLAIMS, printed=PRINTED, in_print=in_print, order=1)
