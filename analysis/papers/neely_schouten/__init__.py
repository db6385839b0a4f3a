"""Neely & Schouten 2020, on sparse attention and on the use of attention: its exhibits and claims."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy
from scipy.stats import spearmanr

from analysis.claims.claim import Judgement, Outcome, Part, above
from analysis.claims.table_rows import Tables, first_where, group_rows, where
from analysis.papers.neely_schouten.correlations import (
    SIZES,
    SIZES_AS_PUBLISHED,
    SMALL_K,
    SMALL_K_DIFFERENCES,
    small_k,
    table_1,
    tau_densities,
    top_k_densities,
)
from analysis.papers.neely_schouten.top_k import (
    AS_PUBLISHED,
    DENSE,
    DIFFERENCES,
    FAGIN,
    NON_ZERO,
    TOP_K,
    TopKRow,
    corrected_top_k,
    in_print,
    table_2,
)
from analysis.papers.neely_schouten.usage_of_attention import OVER_STUDIES, USE, usage
from analysis.papers.shared.agreement import judge_differences, of_each, subtract
from analysis.papers.shared.paper import JAIN_WALLACE_METHODS as METHODS
from analysis.papers.shared.paper import (
    Correction,
    Exhibit,
    Paper,
    StudyExhibit,
    declared_claims,
    declared_printed,
)
from analysis.papers.shared.published import VECTORS
from analysis.written import number

THEIRS = f"theirs: first and last token cut, padding not masked; {VECTORS}"
PRINTED = declared_printed(__file__, {"THEIRS": THEIRS})


# Midway between chance and the best that ties allow; for the published score, half of its maximum.
STRONG = 0.5
# The largest difference of agreement that counts as none.
MARGIN = 0.05
# A correlation over fewer points is meaningless.
LEAST_POINTS = 5
SIGNIFICANT = 0.05


def strong_by_published(tables: Tables) -> Iterator[Judgement]:
    for rows in _sparse(tables, AS_PUBLISHED):
        parts = [above(f"top-k score with {name}", row.mean, STRONG) for name, row in of_each(rows)]
        yield Judgement.of(rows[0], *parts)


def strong_by_corrected(tables: Tables) -> Iterator[Judgement]:
    for rows in _sparse(tables, FAGIN):
        parts = [
            above(row.in_words(f"top-k tau with {name}"), row.scaled_or_mean, STRONG)
            for name, row in of_each(rows)
        ]
        yield Judgement.of(rows[0], *parts)


def sparser_agrees_better(tables: Tables) -> Iterator[Judgement]:
    """At the k that the paper reports for each projection."""
    rows = tables.rows(TOP_K, predicted="overall", measure=AS_PUBLISHED, role="plain")
    rows = [*where(rows, k=NON_ZERO), *where(rows, k="average-length", projection="softmax")]
    return judge_differences(
        rows,
        tables.rows(DIFFERENCES),
        alike=("encoder", "attention"),
        of={"projection": "sparsemax"},
        less={"projection": "softmax"},
        part=lambda words, better: above(f"{words}, sparsemax less softmax:", better),
        scaled=False,
    )


def sparser_agrees_better_at_small_k(tables: Tables) -> Iterator[Judgement]:
    compared = tables.rows(SMALL_K_DIFFERENCES)
    rows = tables.rows(SMALL_K, measure=FAGIN, role="plain", scores="attention")
    for (corpus, protocol, encoder, attention), alike in group_rows(
        rows, "corpus", "protocol", "encoder", "attention"
    ):
        parts = []
        for k in SIZES:
            soft = dict(of_each(where(alike, k=k, projection="softmax")))
            for name, row in of_each(where(alike, k=k, projection="sparsemax")):
                if name in soft:
                    words = f"k = {k} with {name}, sparsemax less softmax:"
                    parts.append(above(words, subtract(compared, row, soft[name])))
        if parts:
            yield Judgement(corpus, f"{encoder} {attention}", tuple(parts), protocol)


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


def above_chance(tables: Tables, measure: str) -> Iterator[Judgement]:
    for rows in _sparse(tables, measure):
        parts = []
        for name, row in of_each(rows):
            words = f"with {name} {number(row.mean.mean)}, chance {number(row.permuted_mean)}, difference"
            parts.append(above(words, row.above_permuted))
        yield Judgement.of(rows[0], *parts)


def as_strong(tables: Tables, measure: str, sizes: Sequence[str]) -> Iterator[Judgement]:
    """Agreement of sparse attention with either kind of importance, less that of the two kinds with each other."""
    compared = tables.rows(SMALL_K_DIFFERENCES)
    rows = tables.rows(SMALL_K, measure=measure, role="plain")
    sparse = [row for row in rows if row.projection not in DENSE]
    for _, of_model in group_rows(sparse, "corpus", "model", "protocol"):
        parts = []
        for k in sizes:
            alike = where(of_model, k=k)
            each_other = first_where(alike, scores="gradient", importance="leave-one-out")
            for name, row in of_each(alike, scores="attention"):
                if each_other is not None:
                    less = subtract(compared, row, each_other, scaled=measure == FAGIN)
                    words = f"k = {k} with {name}, less of each other:"
                    parts.append(above(words, less, -MARGIN))
        if parts:
            yield Judgement.of(of_model[0], *parts)


def _sparse(tables: Tables, measure: str) -> Iterator[list[TopKRow]]:
    """The agreements of each model on the tokens with non-zero weights."""
    rows = tables.rows(TOP_K, predicted="overall", measure=measure, k=NON_ZERO, role="plain")
    return (several for _, several in group_rows(rows, "corpus", "model", "protocol"))


CLAIMS = declared_claims(
    __file__,
    {
        "strong-by-published": (TOP_K, strong_by_published),
        "strong-by-corrected": (TOP_K, strong_by_corrected),
        "above-chance-by-published": (TOP_K, partial(above_chance, measure=AS_PUBLISHED)),
        "above-chance": (TOP_K, partial(above_chance, measure=FAGIN)),
        "as-strong-as-each-other": (
            SMALL_K,
            partial(as_strong, measure=AS_PUBLISHED, sizes=SIZES_AS_PUBLISHED),
            SMALL_K_DIFFERENCES,
        ),
        "as-strong-by-corrected": (
            SMALL_K,
            partial(as_strong, measure=FAGIN, sizes=SIZES),
            SMALL_K_DIFFERENCES,
        ),
        "sparser-agrees-better": (TOP_K, sparser_agrees_better, DIFFERENCES),
        "sparser-agrees-better-at-small-k": (
            SMALL_K,
            sparser_agrees_better_at_small_k,
            SMALL_K_DIFFERENCES,
        ),
        "use-decides": (USE, use_decides),
    },
    {"MARGIN": MARGIN, "SIGNIFICANT": SIGNIFICANT, "STRONG": STRONG},
)


PAPER = Paper(
    "neely-schouten",
    "Neely & Schouten 2020",
    exhibits=(
        Exhibit("neely-schouten-table-1", METHODS, table_1),
        Exhibit(TOP_K.name, METHODS, table_2),
        Exhibit(SMALL_K.name, METHODS, small_k),
        Exhibit("neely-schouten-densities", METHODS, tau_densities),
        Exhibit("neely-schouten-top-k-densities", METHODS, top_k_densities),
        StudyExhibit(USE.name, usage),
    ),
    claims=CLAIMS,
    printed=PRINTED,
    in_print=in_print,
    corrections=(Correction(TOP_K, corrected_top_k),),
    over_studies=(OVER_STUDIES,),
)
