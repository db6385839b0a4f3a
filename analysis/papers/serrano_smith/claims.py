"""What Serrano & Smith 2019 claim."""

from typing import Iterator

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import above
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.serrano_smith.drop_top import DROPPED_TABLE, EFFECTS
from analysis.papers.serrano_smith.removal import REMOVED_TABLE


def top_matters_more(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(DROPPED_TABLE, predicted="overall", effect=EFFECTS["jsd"], role="plain"):
        words = f"JSD of outputs {row.top:.4f}, random {row.random:.4f}; difference"
        yield Judgement.of(row, above(words, row.difference))


def not_the_best_order(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(REMOVED_TABLE, predicted="overall", role="plain")
    for _, orders in grouped(rows, "corpus", "model", "protocol"):
        attention = first_where(orders, order="attention")
        parts = []
        for order in ("gradient", "gradient x attention"):
            other = first_where(orders, order=order)
            if attention and other:
                more = attention.fraction.minus(other.fraction, other.attention_less)
                parts.append(above(f"share removed, attention less {order}:", more))
        if parts:
            yield Judgement.of(orders[0], *parts)


CLAIMS = (
    Claim(
        "top-matters-more",
        "Without its largest weight attention changes the output more than without another.",
        "the difference is above 0",
        "another weight, drawn at random, changes the output more",
        DROPPED_TABLE,
        top_matters_more,
    ),
    Claim(
        "not-the-best-order",
        "Attention is not the shortest way to another decision: gradients need fewer words removed.",
        "the share of weights removed until the decision flips is larger by attention than by gradient, "
        "and than by gradient x attention",
        "the order by gradient, or by gradient x attention, needs more words removed",
        REMOVED_TABLE,
        not_the_best_order,
    ),
)
