"""Bastings & Filippova 2020, "The elephant in the interpretability room". The paper has no table of its own:
its claims rest on those of `python -m analysis agreement` and `python -m analysis table faithfulness`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from analysis.agreement.agreements import SIGNED
from analysis.agreement.comparisons import LESS, SAME, repeated, tells_apart
from analysis.claims.claim import Judgement, above
from analysis.claims.table_rows import (
    TableRow,
    Tables,
    TypedTable,
    estimated,
    first_where,
    group_rows,
    paired,
    where,
)
from analysis.papers.shared.agreement import AgreementRow
from analysis.papers.shared.paper import Paper, declared_claims
from analysis.written import Estimate, average

ATTENTION = "attention"
# The paper's families of saliency methods: signed ones.
FAMILIES: dict[str, Sequence[str]] = {
    "gradients": ("gradient-x-input", "integrated-gradients"),
    "propagation": ("lrp",),
    "occlusion": ("occlusion", "leave-one-out-signed"),
}
# Unsigned methods, comparable with attention: the norm of the gradient, and leave-one-out by the magnitude of the
# change. With every unsigned method, words that speak against the class rank high as well.
UNSIGNED: dict[str, Sequence[str]] = {
    "the norm of the gradient": ("gradient",),
    "leave-one-out by magnitude": ("leave-one-out",),
}
# The effect of deleting the words that a method ranks highest, and of keeping only them.
MEASURES = ("comprehensiveness", "sufficiency")
REMOVAL = "delete"


@dataclass(frozen=True, kw_only=True)
class ApartRow(TableRow):
    """
    How much better other methods agree with each other than with attention.

    others_less : the mean agreement of pairs of other methods less that of pairs with attention.
    pairs_of_attention, pairs_of_others : the numbers of pairs.
    """

    measure: str
    pairs_of_attention: int
    pairs_of_others: int
    others_less: Estimate | None = paired(LESS)


@dataclass(frozen=True, kw_only=True)
class FaithfulnessDifferenceRow(TableRow):
    """The faithfulness score of one method less that of another."""

    measure: str
    erasure: str
    first: str
    second: str
    difference: Estimate = estimated(mean="difference", difference=True)

    def of(self, method: str) -> Estimate | None:
        """The score of the method less that of attention; None if the row is about other methods."""
        if (self.first, self.second) == (method, ATTENTION):
            return self.difference
        if (self.first, self.second) == (ATTENTION, method):
            return self.difference.negative()
        return None


AGREEMENT = TypedTable("agreement", AgreementRow)
APART = TypedTable("agreement-apart", ApartRow)
FAITHFULNESS = TypedTable("faithfulness-differences", FaithfulnessDifferenceRow)


def more_faithful(tables: Tables, families: Mapping[str, Sequence[str]]) -> Iterator[Judgement]:
    rows = tables.rows(FAITHFULNESS, role="plain", erasure=REMOVAL)
    for _, of_model in group_rows(rows, "corpus", "model", "protocol"):
        parts = [
            above(f"{measure}, {family} less attention:", average(known))
            for measure in MEASURES
            for family, methods in families.items()
            if (known := _more(where(of_model, measure=measure), methods))
        ]
        if parts:
            yield Judgement.of(of_model[0], *parts)


def _more(rows: Sequence[FaithfulnessDifferenceRow], methods: Sequence[str]) -> list[Estimate]:
    estimates = (row.of(method) for method in methods for row in rows)
    return [one for one in estimates if one is not None]


def attention_stands_apart(tables: Tables) -> Iterator[Judgement]:
    rows = [
        row
        for row in tables.rows(AGREEMENT, group="overall", measure="kendall")
        if tells_apart((row.first, row.second))
    ]
    for (corpus, model, protocol), all_pairs in group_rows(rows, "corpus", "model", "protocol"):
        again = repeated({(row.first, row.second): row.mean.mean for row in all_pairs})
        pairs = [row for row in all_pairs if not {row.first, row.second} & again]
        with_attention = [row for row in pairs if ATTENTION in (row.first, row.second)]
        # Attention is unsigned: signed pairs would agree better than it can.
        among = [
            row
            for row in pairs
            if ATTENTION not in (row.first, row.second) and row.compared != SIGNED
        ]
        if with_attention and among:
            what = "scaled tau" if all(row.scaled is not None for row in pairs) else "tau"
            ours, theirs = (
                average([row.scaled_or_mean for row in part]) for part in (with_attention, among)
            )
            words = (
                f"{what} of attention with {len(with_attention)} methods {ours}, of {len(among)} "
                f"pairs of them {theirs}; difference"
            )
            # The difference on the same texts, if it is over the same pairs.
            apart = first_where(
                tables.rows(APART, measure="kendall", corpus=corpus),
                model=model,
                pairs_of_attention=len(with_attention),
                pairs_of_others=len(among),
            )
            further = theirs.minus(ours, apart.others_less if apart else None)
            yield Judgement(corpus, model, (above(words, further),), protocol)


CLAIMS = declared_claims(
    __file__,
    {
        "saliency-is-more-faithful": (FAITHFULNESS, partial(more_faithful, families=FAMILIES)),
        "without-sign-too": (FAITHFULNESS, partial(more_faithful, families=UNSIGNED)),
        "attention-stands-apart": (AGREEMENT, attention_stands_apart, APART),
    },
    {"SAME": SAME},
)


PAPER = Paper("bastings-filippova", "Bastings & Filippova 2020", claims=CLAIMS, order=1)
