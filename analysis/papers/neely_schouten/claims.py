"""What Neely & Schouten 2020 claim."""

from typing import Iterator, List

import numpy
from scipy.stats import spearmanr

from analysis.claims.claim import Claim, Judgement, Tested
from analysis.claims.parts import Outcome, Part, above
from analysis.claims.table_rows import Tables, grouped
from analysis.papers.neely_schouten.top_k import (
    AS_PUBLISHED,
    DIFFERENCES,
    FAGIN,
    NON_ZERO,
    TOP_K,
    TopKRow,
)
from analysis.papers.neely_schouten.usage_of_attention import USE
from analysis.papers.shared.agreement_rows import judged_differences, of_each
from analysis.written import number

# Half of the way from chance to the best that ties allow.
STRONG = 0.5
# A correlation over fewer points says nothing.
LEAST_POINTS = 5
SIGNIFICANT = 0.05


def strong_by_published(tables: Tables) -> Iterator[Judgement]:
    yield from _above_chance(tables, AS_PUBLISHED)


def strong_by_corrected(tables: Tables) -> Iterator[Judgement]:
    for rows in _sparse(tables, FAGIN):
        parts = [
            above(row.in_words(f"top-k tau with {name}"), row.placed, STRONG)
            for name, row in of_each(rows)
        ]
        yield Judgement.of(rows[0], *parts)


def above_chance(tables: Tables) -> Iterator[Judgement]:
    yield from _above_chance(tables, FAGIN)


def sparser_agrees_better(tables: Tables) -> Iterator[Judgement]:
    """At the same k for both: k = non-zero weights makes softmax's a list of all tokens."""
    rows = tables.rows(TOP_K, predicted="overall", measure=FAGIN, k="average-length", role="plain")
    return judged_differences(
        rows,
        tables.rows(DIFFERENCES),
        alike=("encoder", "attention"),
        of={"projection": "sparsemax"},
        less={"projection": "softmax"},
        part=lambda words, better: above(f"{words}, sparsemax less softmax:", better),
    )


def use_decides(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(USE)
    if not rows:
        return
    corpora = ", ".join(dict.fromkeys(row.corpus for row in rows))
    judged = [row for row in rows if not row.nothing]
    points = [(row.change, row.instance) for row in judged]
    points = [point for point in points if not numpy.isnan(point).any()]
    if not judged:
        part = Part(rows[0].nothing, Outcome.NOTHING)
    elif len(points) < LEAST_POINTS:
        part = Part(f"{len(points)} models, {LEAST_POINTS} are needed", Outcome.UNKNOWN)
    else:
        correlation = spearmanr(*zip(*points, strict=True))
        statistic, p = correlation.statistic, correlation.pvalue
        words = f"Spearman's {statistic:.2f}, p {number(p)}, {len(points)} models"
        outcome = Outcome.HOLDS if statistic < 0 else Outcome.FAILS
        part = Part(words, outcome if p < SIGNIFICANT else Outcome.UNKNOWN, float(p))
    yield Judgement(corpora, "all", (part,))


def _above_chance(tables: Tables, measure: str) -> Iterator[Judgement]:
    for rows in _sparse(tables, measure):
        parts = []
        for name, row in of_each(rows):
            words = f"with {name} {number(row.mean.mean)}, chance {number(row.permuted_mean)}, difference"
            parts.append(above(words, row.above_permuted))
        yield Judgement.of(rows[0], *parts)


def _sparse(tables: Tables, measure: str) -> Iterator[List[TopKRow]]:
    """Of each model its agreements on the tokens whose weight is not 0."""
    rows = tables.rows(TOP_K, predicted="overall", measure=measure, k=NON_ZERO, role="plain")
    return (several for _, several in grouped(rows, "corpus", "model", "protocol"))


CLAIMS = (
    Claim(
        "strong-by-published",
        "Sparse attention agrees with what matters most, by the published top-k measure.",
        "the measure with k = non-zero weights is above that of permuted scores",
        "permuted scores agree as well, or better",
        TOP_K,
        strong_by_published,
    ),
    Claim(
        "above-chance",
        "The same by the corrected measure: better than chance.",
        "the measure with k = non-zero weights is above that of permuted scores",
        "permuted scores agree as well, or better",
        TOP_K,
        above_chance,
        Tested.CORRECTED,
        "strong-by-published",
    ),
    Claim(
        "strong-by-corrected",
        "The same by the corrected measure: strongly, as the published numbers read.",
        "the place of the measure with k = non-zero weights, from chance (0) to the best that ties allow "
        f"(1), is above {STRONG}",
        f"agreement comes less than {STRONG} of the way",
        TOP_K,
        strong_by_corrected,
        Tested.CORRECTED,
        "strong-by-published",
    ),
    Claim(
        "sparser-agrees-better",
        "Sparse attention agrees with what matters most better than softmax does.",
        "the place of the corrected measure at the same k, sparsemax less softmax, is above 0",
        "softmax agrees better at the same k, with gradients or with leave-one-out",
        TOP_K,
        sparser_agrees_better,
        Tested.CORRECTED,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "use-decides",
        "The less a model uses its attention, the further an adversary gets (proposed, not run).",
        "over models, the change under uniform attention and the mean max JSD have a negative "
        f"Spearman's correlation with p below {SIGNIFICANT}",
        "models that use their attention more leave an adversary more room",
        USE,
        use_decides,
        over_models=True,
    ),
)
