"""Neely & Schouten 2020, on sparse attention and on the use of attention."""

from typing import Iterator

import numpy
from scipy.stats import spearmanr

from analysis.claims.claim import Claim, Judgement, Part, Verdict, above
from analysis.claims.estimate import estimate, in_words, nothing_in, placed
from analysis.claims.importance import differences, of_each
from analysis.claims.table_rows import Tables, grouped

TOP_K = "neely-schouten-table-2"
USAGE = "neely-schouten-usage"
DIFFERENCES = "neely-schouten-table-2-differences"

CORRECTED, AS_PUBLISHED = "fagin", "as-published"
# Half of the way from chance to the best that ties allow.
STRONG = 0.5
# A correlation over fewer points says nothing.
LEAST_POINTS = 5
SIGNIFICANT = 0.05


def strong_by_published(tables: Tables) -> Iterator[Judgement]:
    yield from _above_chance(tables, AS_PUBLISHED)


def strong_by_corrected(tables: Tables) -> Iterator[Judgement]:
    for (corpus, model), rows in _sparse(tables, CORRECTED):
        parts = [
            above(in_words(f"top-k tau with {name}", row), placed(row), STRONG)
            for name, row in of_each(rows)
        ]
        yield Judgement(corpus, model, tuple(parts))


def above_chance(tables: Tables) -> Iterator[Judgement]:
    yield from _above_chance(tables, CORRECTED)


def sparser_agrees_better(tables: Tables) -> Iterator[Judgement]:
    """At the same k for both: k = non-zero weights makes softmax's a list of all tokens."""
    compared = tables.rows(DIFFERENCES)
    rows = tables.rows(
        TOP_K, predicted="overall", measure=CORRECTED, k="average-length", role="plain"
    )
    alike = ("corpus", "encoder", "attention")
    for (corpus, encoder, attention), found in grouped(alike, rows):
        better = differences(
            found, compared, of={"projection": "sparsemax"}, less={"projection": "softmax"}
        )
        parts = [above(f"with {name}, sparsemax less softmax:", less) for name, less in better]
        if parts:
            yield Judgement(corpus, f"{encoder} {attention}", tuple(parts))


def use_decides(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(USAGE)
    if not rows:
        return
    corpora = ", ".join(dict.fromkeys(row["corpus"] for row in rows))
    judged = [row for row in rows if not nothing_in(row)]
    known = [(row["change"], row["instance"]) for row in judged]
    known = [pair for pair in known if not numpy.isnan(pair).any()]
    if not judged:
        part = Part(nothing_in(rows[0]), Verdict.NOTHING)
    elif len(known) < LEAST_POINTS:
        part = Part(f"{len(known)} models, {LEAST_POINTS} are needed", Verdict.UNKNOWN)
    else:
        found = spearmanr(*zip(*known, strict=True))
        words = f"Spearman's {found.statistic:.2f}, p {found.pvalue:.3f}, {len(known)} models"
        verdict = Verdict.HOLDS if found.statistic < 0 else Verdict.FAILS
        part = Part(words, verdict if found.pvalue < SIGNIFICANT else Verdict.UNKNOWN)
    yield Judgement(corpora, "all", (part,))


def _above_chance(tables: Tables, measure: str) -> Iterator[Judgement]:
    for (corpus, model), rows in _sparse(tables, measure):
        parts = []
        for name, row in of_each(rows):
            words = f"with {name} {row['mean']:.3f}, chance {row['permuted mean']:.3f}, difference"
            parts.append(above(words, estimate(row, "above permuted", difference=True)))
        yield Judgement(corpus, model, tuple(parts))


def _sparse(tables: Tables, measure: str) -> Iterator:
    rows = tables.rows(TOP_K, predicted="overall", measure=measure, k="non-zero", role="plain")
    return grouped(("corpus", "model"), rows)


CLAIMS = (
    Claim(
        "strong-by-published",
        "Sparse attention agrees with what matters most, by the published top-k measure.",
        "the measure with k = non-zero weights is above that of permuted scores",
        TOP_K,
        strong_by_published,
    ),
    Claim(
        "above-chance",
        "The same by the corrected measure: better than chance.",
        "the measure with k = non-zero weights is above that of permuted scores",
        TOP_K,
        above_chance,
    ),
    Claim(
        "strong-by-corrected",
        "The same by the corrected measure: strongly, as the published numbers read.",
        "the place of the measure with k = non-zero weights, from chance (0) to the best that ties allow "
        f"(1), is above {STRONG}",
        TOP_K,
        strong_by_corrected,
    ),
    Claim(
        "sparser-agrees-better",
        "Sparse attention agrees with what matters most better than softmax does.",
        "the place of the corrected measure at the same k, sparsemax less softmax, is above 0",
        TOP_K,
        sparser_agrees_better,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "use-decides",
        "The less a model uses its attention, the further an adversary gets (proposed, not run).",
        "over models, the change under uniform attention and the mean max JSD have a negative "
        f"Spearman's correlation with p below {SIGNIFICANT}",
        USAGE,
        use_decides,
        over_models=True,
    ),
)
