"""Jain & Wallace 2019, "Attention is not Explanation": its exhibits and claims."""

from collections.abc import Iterator
from functools import partial

from analysis.claims.claim import FAR, SMALL, Judgement, above, below
from analysis.claims.table_rows import Tables, first_where, group_rows, where
from analysis.papers.jain_wallace.correlations import (
    ACCURACIES,
    CORRELATIONS,
    DIFFERENCES,
    GRADIENT_DEFINITIONS,
    accuracies,
    correlations,
    in_print,
    random_controls,
    tau_densities,
)
from analysis.papers.jain_wallace.other_attention import (
    ADVERSARY,
    LARGEST,
    MEDIAN,
    PERMUTATION,
    adversary,
    permutation,
)
from analysis.papers.jain_wallace.supporting_facts import SUPPORTING_FACTS
from analysis.papers.shared.agreement import (
    EVERY_IMPORTANCE,
    IMPORTANCE,
    AgreementRow,
    judge_differences,
    of_each,
    subtract,
)
from analysis.papers.shared.divergence import MAX_JSD, SUCCESS
from analysis.papers.shared.paper import JAIN_WALLACE_METHODS as METHODS
from analysis.papers.shared.paper import (
    PERTURBED,
    Correction,
    Exhibit,
    Paper,
    declared_claims,
    declared_printed,
)
from analysis.papers.shared.published import VECTORS

PRINTED = declared_printed(__file__, {"VECTORS": VECTORS})


WITHOUT_CONTEXT = "affine"
# For tau, at most 1; for scaled tau, midway between chance and the best that ties allow.
WEAK = 0.5


def weak_agreement(tables: Tables, by_every_gradient: bool) -> Iterator[Judgement]:
    for rows in _models(tables, by_every_gradient):
        if by_every_gradient:
            parts = [
                below(row.in_words(f"tau with {name}"), row.scaled_or_mean, WEAK)
                for name, row in of_each(rows, EVERY_IMPORTANCE, scores="attention")
            ]
        else:
            parts = [
                below(f"tau with {name}", row.mean, WEAK)
                for name, row in of_each(rows, scores="attention")
            ]
        yield Judgement.of(rows[0], *parts)


def less_than_each_other(tables: Tables, by_every_gradient: bool) -> Iterator[Judgement]:
    """Agreement of each kind of gradient with leave-one-out, less attention with each of the two."""
    gradients = ("gradient", "gradient norm") if by_every_gradient else ("gradient",)
    compared = tables.rows(DIFFERENCES)
    for rows in _models(tables, by_every_gradient):
        parts = []
        for gradient in gradients:
            each_other = first_where(rows, scores=gradient, importance="leave-one-out")
            if each_other is not None:
                agreement = each_other.scaled_or_mean if by_every_gradient else each_other.mean
                parts += [
                    above(
                        f"{agreement} of {gradient} with leave-one-out, less attention with {name}:",
                        subtract(compared, each_other, row, scaled=by_every_gradient),
                    )
                    for name, row in of_each(rows, (gradient, "leave-one-out"), scores="attention")
                ]
        if parts:
            yield Judgement.of(rows[0], *parts)


def context_lowers(tables: Tables, by_every_gradient: bool) -> Iterator[Judgement]:
    models = _models(tables, by_every_gradient, encoders_without_context=True)
    return judge_differences(
        [row for rows in models for row in where(rows, scores="attention")],
        tables.rows(DIFFERENCES),
        alike=("attention", "projection"),
        of={"encoder": WITHOUT_CONTEXT},
        less={"encoder": "bilstm"},
        part=lambda words, higher: above(f"{words}, affine less BiLSTM:", higher),
        scaled=by_every_gradient,
        kinds=EVERY_IMPORTANCE if by_every_gradient else IMPORTANCE,
    )


def shuffled(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(PERMUTATION, predicted="overall", max_attention="all", role="plain"):
        if row.encoder != WITHOUT_CONTEXT:
            part = below("change of the output", row.change, SMALL)
            yield Judgement.of(row, part)


def other_attention(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(ADVERSARY, predicted="overall", role="plain"):
        if row.encoder != WITHOUT_CONTEXT:
            yield Judgement.of(row, above("JSD", row.max_jsd, FAR))


def _models(
    tables: Tables, by_every_gradient: bool, encoders_without_context: bool = False
) -> Iterator[list[AgreementRow]]:
    """
    The correlations of each model over all texts; if `by_every_gradient`, of the models that have both definitions
    of the gradient, and scaled values.
    """
    rows = tables.rows(CORRELATIONS, predicted="overall", role="plain")
    rows = [row for row in rows if encoders_without_context or row.encoder != WITHOUT_CONTEXT]
    for _, of_model in group_rows(rows, "corpus", "model", "protocol"):
        norm = first_where(of_model, scores="attention", importance="gradient norm")
        has_both = norm is not None and all(row.scaled is not None for row in of_model)
        if has_both or not by_every_gradient:
            yield of_model


CLAIMS = declared_claims(
    __file__,
    {
        "weak-agreement": (CORRELATIONS, partial(weak_agreement, by_every_gradient=False)),
        "weak-by-every-gradient": (CORRELATIONS, partial(weak_agreement, by_every_gradient=True)),
        "less-than-each-other": (
            CORRELATIONS,
            partial(less_than_each_other, by_every_gradient=False),
            DIFFERENCES,
        ),
        "less-by-every-gradient": (
            CORRELATIONS,
            partial(less_than_each_other, by_every_gradient=True),
            DIFFERENCES,
        ),
        "context-lowers": (
            CORRELATIONS,
            partial(context_lowers, by_every_gradient=False),
            DIFFERENCES,
        ),
        "context-lowers-by-every-gradient": (
            CORRELATIONS,
            partial(context_lowers, by_every_gradient=True),
            DIFFERENCES,
        ),
        "shuffled": (PERMUTATION, shuffled),
        "other-attention": (ADVERSARY, other_attention),
    },
    {"FAR": FAR, "SMALL": SMALL, "WEAK": WEAK},
)


PAPER = Paper(
    "jain-wallace",
    "Jain & Wallace 2019",
    exhibits=(
        Exhibit(CORRELATIONS.name, METHODS, correlations),
        Exhibit(ACCURACIES, METHODS, accuracies),
        Exhibit("jain-wallace-densities", METHODS, tau_densities),
        Exhibit(PERMUTATION.name, (MEDIAN, LARGEST), permutation, of=PERTURBED),
        Exhibit(ADVERSARY.name, (MAX_JSD, SUCCESS), adversary, of=PERTURBED),
    ),
    claims=CLAIMS,
    printed=PRINTED,
    corrections=(Correction(CORRELATIONS, random_controls),),
    in_print=in_print,
    more=(GRADIENT_DEFINITIONS, SUPPORTING_FACTS),
)
