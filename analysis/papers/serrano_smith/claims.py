"""Serrano & Smith 2019, "Is Attention Interpretable?"."""

from typing import Iterator

from analysis.claims.claim import Claim, Judgement, above
from analysis.claims.estimate import estimate, less
from analysis.claims.table_rows import Tables, grouped, one

DROP_TOP = "serrano-smith-drop-top"
REMOVAL = "serrano-smith-removal"


def top_matters_more(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(DROP_TOP, predicted="overall", effect="JSD of outputs", role="plain"):
        words = f"JSD of outputs {row['top']:.4f}, random {row['random']:.4f}; difference"
        part = above(words, estimate({**row, "mean": row["difference"]}, difference=True))
        yield Judgement(row["corpus"], row["model"], (part,))


def not_the_best_order(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(REMOVAL, predicted="overall", role="plain")
    for (corpus, model), found in grouped(("corpus", "model"), rows):
        attention = one(found, order="attention")
        parts = []
        for order in ("gradient", "gradient x attention"):
            other = one(found, order=order)
            if attention and other:
                more = less(estimate(attention), estimate(other), other, "attention less")
                parts.append(above(f"share removed, attention less {order}:", more))
        if parts:
            yield Judgement(corpus, model, tuple(parts))


CLAIMS = (
    Claim(
        "top-matters-more",
        "Without its largest weight attention changes the output more than without another.",
        "the difference is above 0",
        DROP_TOP,
        top_matters_more,
    ),
    Claim(
        "not-the-best-order",
        "Attention is not the shortest way to another decision: gradients need fewer words removed.",
        "the share of weights removed until the decision flips is larger by attention than by gradient, "
        "and than by gradient x attention",
        REMOVAL,
        not_the_best_order,
    ),
)
