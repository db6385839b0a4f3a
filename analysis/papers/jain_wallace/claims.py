"""What Jain & Wallace 2019 claim."""

from typing import Iterator, List

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import FAR, SMALL, above, below
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.jain_wallace.correlations import CORRELATIONS, DIFFERENCES
from analysis.papers.jain_wallace.instance_adversary import ADVERSARY
from analysis.papers.jain_wallace.permutation import PERMUTATION
from analysis.papers.shared.agreement_rows import (
    AgreementRow,
    judged_differences,
    less_than,
    of_each,
)

WITHOUT_CONTEXT = "affine"
# Half of the way from chance to the best that ties allow: below, most of the order is unexplained.
WEAK = 0.5


def weak_agreement(tables: Tables) -> Iterator[Judgement]:
    for rows in _models_with_context(tables):
        parts = [
            below(row.in_words(f"tau with {name}"), row.placed, WEAK)
            for name, row in of_each(rows, scores="attention")
        ]
        yield Judgement.of(rows[0], *parts)


def less_than_each_other(tables: Tables) -> Iterator[Judgement]:
    compared = tables.rows(DIFFERENCES)
    for rows in _models_with_context(tables):
        each_other = first_where(rows, scores="gradient", importance="leave-one-out")
        if each_other is None:
            continue
        parts = [
            above(
                f"{each_other.placed} of each other less that with {name}:",
                less_than(compared, each_other, row),
            )
            for name, row in of_each(rows, scores="attention")
        ]
        yield Judgement.of(rows[0], *parts)


def context_lowers(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(CORRELATIONS, predicted="overall", scores="attention", role="plain")
    return judged_differences(
        rows,
        tables.rows(DIFFERENCES),
        alike=("attention", "projection"),
        of={"encoder": WITHOUT_CONTEXT},
        less={"encoder": "bilstm"},
        part=lambda words, higher: above(f"{words}, affine less BiLSTM:", higher),
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


def _models_with_context(tables: Tables) -> Iterator[List[AgreementRow]]:
    """The correlations of each model over all texts."""
    rows = tables.rows(CORRELATIONS, predicted="overall", role="plain")
    with_context = [row for row in rows if row.encoder != WITHOUT_CONTEXT]
    return (several for _, several in grouped(with_context, "corpus", "model", "protocol"))


CLAIMS = (
    Claim(
        "weak-agreement",
        "Attention over states with context agrees only weakly with gradients and leave-one-out.",
        f"the place of tau, from chance (0) to the best that ties allow (1), is below {WEAK} with each",
        f"tau with the gradient or with leave-one-out comes more than {WEAK} of the way",
        CORRELATIONS,
        weak_agreement,
    ),
    Claim(
        "less-than-each-other",
        "Gradients and leave-one-out agree with each other better than attention does with either.",
        "the difference of the places of tau is above 0 for each",
        "attention agrees with one of them better than they agree with each other",
        CORRELATIONS,
        less_than_each_other,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "context-lowers",
        "Attention agrees better where states have no context: in an affine encoder.",
        "the place of tau in the affine model less that in the BiLSTM is above 0, for gradients and for "
        "leave-one-out",
        "the BiLSTM's attention agrees better with gradients or with leave-one-out than the affine model's",
        CORRELATIONS,
        context_lowers,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "shuffled",
        "Shuffled attention changes the output but little.",
        f"the mean over texts of the median change over shuffles is below {SMALL}",
        f"the output moves by more than {SMALL} when weights are shuffled",
        PERMUTATION,
        shuffled,
    ),
    Claim(
        "other-attention",
        "For a text there is attention far from the model's own that gives the same output.",
        f"the mean JSD of the furthest found is above {FAR}, half of what is possible",
        f"the furthest attention with the same output is nearer than {FAR} on average",
        ADVERSARY,
        other_attention,
    ),
)
