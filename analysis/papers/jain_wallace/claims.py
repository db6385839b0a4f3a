"""Jain & Wallace 2019, "Attention is not Explanation"."""

from typing import Iterator

from analysis.claims.claim import FAR, SMALL, Claim, Judgement, above, below
from analysis.claims.estimate import estimate, in_words, placed
from analysis.claims.importance import differences, less_than, of_each
from analysis.claims.table_rows import Tables, grouped, one

CORRELATIONS = "jain-wallace-correlations"
PERMUTATION = "jain-wallace-permutation"
ADVERSARY = "jain-wallace-adversary"
DIFFERENCES = "jain-wallace-correlations-differences"

WITHOUT_CONTEXT = "affine"
# Half of the way from chance to the best that ties allow: below, most of the order is unexplained.
WEAK = 0.5


def weak_agreement(tables: Tables) -> Iterator[Judgement]:
    for (corpus, model), rows in _models(tables):
        if rows[0]["encoder"] != WITHOUT_CONTEXT:
            parts = [
                below(in_words(f"tau with {name}", row), placed(row), WEAK)
                for name, row in of_each(rows, scores="attention")
            ]
            yield Judgement(corpus, model, tuple(parts))


def less_than_each_other(tables: Tables) -> Iterator[Judgement]:
    compared = tables.rows(DIFFERENCES)
    for (corpus, model), rows in _models(tables):
        each_other = one(rows, scores="gradient", importance="leave-one-out")
        if rows[0]["encoder"] == WITHOUT_CONTEXT or each_other is None:
            continue
        reference = placed(each_other)
        parts = [
            above(
                f"{reference} of each other less that with {name}:",
                less_than(compared, each_other, row),
            )
            for name, row in of_each(rows, scores="attention")
        ]
        yield Judgement(corpus, model, tuple(parts))


def context_lowers(tables: Tables) -> Iterator[Judgement]:
    compared = tables.rows(DIFFERENCES)
    found = tables.rows(CORRELATIONS, predicted="overall", scores="attention", role="plain")
    alike = ("corpus", "attention", "projection")
    for (corpus, attention, projection), rows in grouped(alike, found):
        higher = differences(
            rows, compared, of={"encoder": WITHOUT_CONTEXT}, less={"encoder": "bilstm"}
        )
        parts = [above(f"with {name}, affine less BiLSTM:", less) for name, less in higher]
        if parts:
            yield Judgement(corpus, f"{attention} {projection}", tuple(parts))


def shuffled(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(PERMUTATION, predicted="overall", max_attention="all", role="plain"):
        if row["encoder"] != WITHOUT_CONTEXT:
            part = below("change of the output", estimate(row, difference=True), SMALL)
            yield Judgement(row["corpus"], row["model"], (part,))


def other_attention(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(ADVERSARY, predicted="overall", role="plain"):
        if row["encoder"] != WITHOUT_CONTEXT:
            part = above("JSD", estimate(row, "all"), FAR)
            yield Judgement(row["corpus"], row["model"], (part,))


def _models(tables: Tables) -> Iterator:
    rows = tables.rows(CORRELATIONS, predicted="overall", role="plain")
    return grouped(("corpus", "model"), rows)


CLAIMS = (
    Claim(
        "weak-agreement",
        "Attention over states with context agrees only weakly with gradients and leave-one-out.",
        f"the place of tau, from chance (0) to the best that ties allow (1), is below {WEAK} with each",
        CORRELATIONS,
        weak_agreement,
    ),
    Claim(
        "less-than-each-other",
        "Gradients and leave-one-out agree with each other better than attention does with either.",
        "the difference of the places of tau is above 0 for each",
        CORRELATIONS,
        less_than_each_other,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "context-lowers",
        "Attention agrees better where states have no context: in an affine encoder.",
        "the place of tau in the affine model less that in the BiLSTM is above 0, for gradients and for "
        "leave-one-out",
        CORRELATIONS,
        context_lowers,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "shuffled",
        "Shuffled attention changes the output but little.",
        f"the mean over texts of the median change over shuffles is below {SMALL}",
        PERMUTATION,
        shuffled,
    ),
    Claim(
        "other-attention",
        "For a text there is attention far from the model's own that gives the same output.",
        f"the mean JSD of the furthest found is above {FAR}, half of what is possible",
        ADVERSARY,
        other_attention,
    ),
)
