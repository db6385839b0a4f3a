"""
Bastings et al. 2022, "Will You Find These Shortcuts?": which methods rank planted shortcut tokens first. The numbers
are secondary: a reader's notes on the paper give ranges of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

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
from analysis.written import Estimate

# Precision at k that counts as found.
FOUND = 0.9
NORM, TIMES_INPUT = "gradient", "gradient-x-input"


@dataclass(frozen=True, kw_only=True)
class PrecisionRow(TableRow):
    """
    The precision at k of the shortcut tokens.

    kind : of the shortcut: `single`, `context`, `ordered`, or `any`.
    """

    method: str
    kind: str
    precision: Estimate = estimated("precision")


PRECISION = TypedTable("shortcut-precision", PrecisionRow)


def norm_in_transformers(tables: Tables) -> Iterator[Judgement]:
    for rows, by_method in _models(tables):
        if NORM in by_method and TIMES_INPUT in by_method and "lstm" not in rows[0].encoder:
            less = by_method[NORM].precision.minus(by_method[TIMES_INPUT].precision)
            yield Judgement.of(rows[0], above(f"{NORM} less {TIMES_INPUT}:", less))


def single_in_lstms(tables: Tables) -> Iterator[Judgement]:
    rows = [row for row in tables.rows(PRECISION, method=TIMES_INPUT) if "lstm" in row.encoder]
    for _, of_model in group_rows(rows, "corpus", "model", "protocol"):
        single, context = (first_where(of_model, kind=kind) for kind in ("single", "context"))
        if single is not None and context is not None:
            less = single.precision.minus(context.precision)
            yield Judgement.of(
                single,
                above("precision, single token", single.precision, FOUND),
                above("less that of a token in context:", less),
            )


def _models(tables: Tables) -> Iterator[tuple[list[PrecisionRow], dict[str, PrecisionRow]]]:
    rows = tables.rows(PRECISION)
    for _, of_kind in group_rows(rows, "corpus", "model", "protocol", "kind"):
        yield of_kind, {row.method: row for row in of_kind}


def in_print() -> dict[str, pandas.DataFrame]:
    """The ranges of the notes as claims read them."""
    table = read_published("bastings_shortcuts/precision_at_k")
    middle = (table["low"] + table["high"]) / 2
    ends = {"precision low": table["low"], "precision high": table["high"], "precision": middle}
    return {
        PRECISION.name: as_printed(table.assign(corpus="all three", model=table["encoder"], **ends))
    }


CLAIMS = declared_claims(
    __file__,
    {
        "norm-finds-shortcuts": (PRECISION, norm_in_transformers),
        "single-shortcut-found": (PRECISION, single_in_lstms),
    },
    {"FOUND": FOUND},
)

PAPER = Paper(
    "bastings-shortcuts", "Bastings et al. 2022", claims=CLAIMS, in_print=in_print, order=2
)
