"""Bastings & Filippova 2020, "The elephant in the interpretability room"."""

from typing import Iterator

from analysis.agreement.apart import LESS, OTHERS
from analysis.agreement.signs import SIGNED
from analysis.claims.claim import Claim, Judgement, above
from analysis.claims.estimate import average, has_place, less, placed
from analysis.claims.table_rows import Tables, grouped, one

AGREEMENT = "agreement"
ATTENTION = "attention"
APART = "agreement-apart"


def attention_stands_apart(tables: Tables) -> Iterator[Judgement]:
    rows = [
        row
        for row in tables.rows(AGREEMENT, group="overall", measure="kendall")
        if not {row["first"], row["second"]} & set(OTHERS)
    ]
    for (corpus, model), found in grouped(("corpus", "model"), rows):
        with_attention = [row for row in found if ATTENTION in (row["first"], row["second"])]
        among = [row for row in found if row not in with_attention]
        # Attention has no sign: other pairs by their signs too would be more than it can have.
        among = [row for row in among if row.get("compared") != SIGNED] or among
        if with_attention and among:
            what = "place of tau" if all(map(has_place, found)) else "tau"
            ours, theirs = (
                average([placed(row) for row in part]) for part in (with_attention, among)
            )
            words = f"{what} of attention with {len(with_attention)} methods {ours}, of {len(among)} pairs of them {theirs}; difference"
            apart = one(tables.rows(APART, measure="kendall", corpus=corpus), model=model) or {}
            yield Judgement(corpus, model, (above(words, less(theirs, ours, apart, LESS)),))


CLAIMS = (
    Claim(
        "attention-stands-apart",
        "Saliency methods are about what attention is not: they agree with each other better than with it.",
        "the mean place of tau of pairs of methods less that of attention with each is above 0",
        AGREEMENT,
        attention_stands_apart,
        beside=(APART,),
    ),
)
