"""What Jain & Wallace 2019 claim."""

from collections.abc import Iterator
from functools import partial

from analysis.claims.claim import FAR, SMALL, Claim, Judgement, above, below
from analysis.claims.printed import OF_ACCURACY, OF_TAU, RELEASED_CODE, Printed, Traced
from analysis.claims.table_rows import Tables, first_where, group_rows, where
from analysis.papers.jain_wallace.correlations import ACCURACIES, CORRELATIONS, DIFFERENCES
from analysis.papers.jain_wallace.other_attention import ADVERSARY, PERMUTATION
from analysis.papers.shared.agreement import (
    EVERY_IMPORTANCE,
    IMPORTANCE,
    AgreementRow,
    judge_differences,
    of_each,
    subtract,
)
from analysis.papers.shared.published import VECTORS

TAU = "tau of {scores} with {importance}, predicted {predicted}"
# On SST, all test texts and three seeds unless stated otherwise, from the tables of the study; the last epoch is from a
# separate training.
CNN_TANH = Traced(
    {
        "corpus": "sst",
        "model": "cnn tanh softmax",
        "scores": "attention",
        "importance": "gradient",
    },
    "not the definition: that of the released code, gradient x input of the probability with attention held fixed, by magnitude, and its encoder (ReLU, widths 1, 3, 5 and 7) "
    "are ours, and the CNN with dot attention, trained alike, is near what the code gave (.204, .240); with the norm of the gradient it would be .485; not the "
    "epoch: of one seed and 500 texts .287 at the one that dev selects, the second, and .263 at the last. Word vectors of 300 "
    "dimensions could not be tried",
)
FEWER_PAIRS = (
    Traced({"corpus": "snli"}, "trained on a thirtieth of their pairs"),
    Traced({"corpus": "babi_3"}, "trained on 1,000 questions, theirs on 9,000"),
)
PRINTED = (
    Printed(
        CORRELATIONS.name,
        "Table 2, and the appendix",
        TAU,
        "published on test",
        OF_TAU,
        note=f"theirs: the epoch selected on the test set; {VECTORS}",
        traced=(CNN_TANH,),
    ),
    Printed(
        CORRELATIONS.name,
        "outputs of the released code, selected on dev",
        TAU,
        "published on dev",
        OF_TAU,
        note=VECTORS,
        source=RELEASED_CODE,
        traced=(CNN_TANH,),
    ),
    Printed(
        ACCURACIES,
        "outputs of the released code",
        "accuracy",
        "published",
        OF_ACCURACY,
        source=RELEASED_CODE,
        traced=FEWER_PAIRS,
    ),
)


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


CLAIMS = (
    Claim(
        "weak-agreement",
        "Attention over states with context agrees only weakly with gradients and leave-one-out.",
        f"tau is below {WEAK} with gradient x input, attention held fixed, and with leave-one-out",
        f"tau with one of them is above {WEAK}",
        CORRELATIONS,
        partial(weak_agreement, by_every_gradient=False),
    ),
    Claim(
        "weak-by-every-gradient",
        "The same whichever gradient is meant, and whatever ties allow.",
        f"scaled tau, from chance (0) to the best that ties allow (1), is below {WEAK} with gradient x input, "
        "with the norm of the gradient and with leave-one-out",
        f"tau with one of the three comes more than {WEAK} of the way",
        CORRELATIONS,
        partial(weak_agreement, by_every_gradient=True),
        corrects="weak-agreement",
    ),
    Claim(
        "less-than-each-other",
        "Gradients and leave-one-out agree with each other better than attention does with either.",
        "tau of gradient x input with leave-one-out, less that of attention with each, is above 0",
        "attention agrees with one of them better than they agree with each other",
        CORRELATIONS,
        partial(less_than_each_other, by_every_gradient=False),
        others=(DIFFERENCES,),
    ),
    Claim(
        "less-by-every-gradient",
        "The same whichever gradient is meant.",
        "scaled tau of gradient x input with leave-one-out, and of the norm of the gradient with it, less that "
        "of attention with each, is above 0",
        "attention agrees with one of them better than they agree with each other, by either gradient",
        CORRELATIONS,
        partial(less_than_each_other, by_every_gradient=True),
        corrects="less-than-each-other",
        others=(DIFFERENCES,),
    ),
    Claim(
        "context-lowers",
        "Attention agrees better where states have no context: in an affine encoder.",
        "tau in the affine model less that in the BiLSTM is above 0, for gradient x input and for leave-one-out",
        "the BiLSTM's attention agrees better with one of them than the affine model's",
        CORRELATIONS,
        partial(context_lowers, by_every_gradient=False),
        others=(DIFFERENCES,),
    ),
    Claim(
        "context-lowers-by-every-gradient",
        "The same whichever gradient is meant.",
        "scaled tau in the affine model less that in the BiLSTM is above 0, for gradient x input, for the norm "
        "of the gradient and for leave-one-out",
        "the BiLSTM's attention agrees better with one of the three than the affine model's",
        CORRELATIONS,
        partial(context_lowers, by_every_gradient=True),
        corrects="context-lowers",
        others=(DIFFERENCES,),
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
