"""What Meister et al. 2021 claim."""

from collections.abc import Callable, Iterator
from functools import partial

import pandas

from analysis.claims.claim import FAR, Claim, Judgement, Outcome, Part, above, below
from analysis.claims.printed import OF_ACCURACY, OF_JSD, OF_TAU, ROUNDED, Printed, Traced
from analysis.claims.table_rows import Tables, TypedTable, first_where, group_rows
from analysis.papers.meister.correlations import (
    ACCURACY,
    ADVERSARY,
    CORRELATIONS,
    DIFFERENCES,
    ENTROPY,
)
from analysis.papers.meister.sparsity import FIGURE_3, SWEEP
from analysis.papers.shared.adversary_rows import AdversaryRow, far_away, just_far
from analysis.papers.shared.agreement import judge_differences
from analysis.papers.shared.published import VECTORS
from analysis.written import Estimate

# The number of epochs is not published.
THEIRS = f"their number of epochs is not known; {VECTORS}"
# On SST, three seeds and all test texts, from the tables of the studies `meister_2021` and `attention_debate`.
BILSTM = (
    "it depends on training: with Jain & Wallace's (8 epochs at 1e-3, summed loss) the model has .503 with the gradient and .267 with "
    "leave-one-out; with Meister et al.'s (1e-4, mean loss) -.019 and .053, attention that is more uniform (normalised entropy .75 to .88 in place of "
    ".54 to .69), and a tau with the gradient that differs from text to text (standard deviation .48, printed .28) and from seed to seed (.13). They give the rate of "
    "attention as that of the rest or ten times that, and not which: ours is that of the rest"
)
ZEROS = (
    "a word without weight has a leave-one-out of 0, so that tau goes with the share of zeros: .246 without any (softmax), .725 with .27 "
    "to .32 of weights at 0 (sparsegen, lambda -1), .793 with .36 to .41 (sparsemax), .880 with .52 to .58 (lambda .75); what they print is "
    "nearest to attention without zeros. Attention learns at ten times the rate of the rest here; they say that or the same, and not which"
)
FROZEN = {True: "frozen", False: "not frozen"}
KEYS = ["corpus", "model", "frozen"]


def furthest(table: pandas.DataFrame) -> pandas.DataFrame:
    """The furthest adversary of each model, since their lambda is not known; printed numbers do not select it."""
    return table.loc[table.groupby(KEYS, sort=False)["jsd"].idxmax()]


PRINTED = (
    Printed(
        ENTROPY.name,
        "Table 1",
        "entropy of what matters to a state",
        "published",
        ROUNDED,
        note=THEIRS,
    ),
    Printed(
        SWEEP.name,
        "Table 2",
        "correlation of lambda with the entropy of {importance}",
        "published",
        ROUNDED,
        note=THEIRS,
    ),
    Printed(ACCURACY.name, "Table 3", "accuracy", "published", OF_ACCURACY, note=THEIRS),
    *(
        Printed(
            ADVERSARY.name,
            "Table 5",
            f"{name} of the adversary, {words}, lambda {{lambda:g}}",
            f"published {column}",
            tolerance,
            column,
            column,
            only={"frozen": frozen},
            chosen=furthest,
            note=f"their lambda is not known, ours is the one that moves attention furthest; {THEIRS}",
        )
        for frozen, words in FROZEN.items()
        for name, column, tolerance in (
            ("JSD", "jsd", OF_JSD),
            ("accuracy", "accuracy", OF_ACCURACY),
        )
    ),
    Printed(
        CORRELATIONS.name,
        "Table 6",
        "tau with {importance} of {importance of}",
        "published",
        OF_TAU,
        note=THEIRS,
        traced=(
            Traced(
                {"corpus": "sst", "model": "bilstm tanh softmax", "importance of": "input"}, BILSTM
            ),
            Traced(
                {
                    "corpus": "sst",
                    "model": "transformer dot sparsemax",
                    "importance of": "hidden",
                    "importance": "leave-one-out",
                },
                ZEROS,
            ),
        ),
    ),
)


# For normalised entropy: half of that of a state to which all inputs matter alike.
SPREAD = 0.5
# For tau, scaled tau and normalised entropy: the largest difference that counts as none.
MARGIN = 0.05
# For accuracy: two standard errors on a test set of the size of SST.
WORSE = 0.02
# A state with weight 0 has gradient 0, and leaving it out changes nothing: sparse attention agrees by construction.
DENSE = "softmax"


def states_are_mixed(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(ENTROPY, role="plain"):
        yield Judgement.of(row, above("entropy", row.mean, SPREAD))


def follows_states(tables: Tables) -> Iterator[Judgement]:
    return judge_differences(
        tables.rows(CORRELATIONS, role="plain", projection=DENSE),
        tables.rows(DIFFERENCES),
        alike=("model",),
        of={"importance_of": "hidden"},
        less={"importance_of": "input"},
        part=lambda words, closer: above(f"{words}, states less inputs:", closer),
    )


def no_closer_to_inputs(tables: Tables, scaled: bool) -> Iterator[Judgement]:
    rows = tables.rows(CORRELATIONS, role="plain", importance_of="input")
    return judge_differences(
        [row for row in rows if row.scaled is not None or not scaled],
        tables.rows(DIFFERENCES),
        alike=("encoder", "attention"),
        of={"projection": "sparsemax"},
        less={"projection": "softmax"},
        part=lambda words, closer: below(f"{words}, sparsemax less softmax:", closer, MARGIN),
        scaled=scaled,
    )


def over_sweep(
    tables: Tables,
    table: TypedTable,
    field: str,
    words: str,
    side: Callable[..., Part],
    bound: float = 0.0,
) -> Iterator[Judgement]:
    """One part per kind of importance: the field of its row is on that side of the bound."""
    rows = [row for row in tables.rows(table) if getattr(row, field) is not None]
    keys = ("corpus", "encoder", "attention", "protocol")
    for (corpus, encoder, attention, protocol), alike in group_rows(rows, *keys):
        parts = (side(f"{words} {row.importance}", getattr(row, field), bound) for row in alike)
        yield Judgement(corpus, f"{encoder} {attention}", tuple(parts), protocol)


def adversaries(tables: Tables, frozen: bool) -> Iterator[Judgement]:
    """A frozen adversary is claimed to lose accuracy, another is claimed not to."""
    rows = tables.rows(ADVERSARY, frozen=frozen)
    for _, adversaries in group_rows(rows, "corpus", "model", "protocol"):
        adversary = just_far(adversaries)
        lost = _lost(tables, adversary)
        if lost is None:
            yield Judgement.of(adversary, far_away(adversary))
            continue
        words = f"accuracy {adversary.accuracy}, lost"
        cost = above(words, lost) if frozen else below(words, lost, WORSE)
        paid = cost.outcome is (Outcome.HOLDS if frozen else Outcome.FAILS)
        yield Judgement.of(adversary, far_away(adversary, paid), cost)


def _lost(tables: Tables, adversary: AdversaryRow) -> Estimate | None:
    """The accuracy that the adversary lost against the base."""
    bases = tables.rows(ACCURACY, corpus=adversary.corpus, role="plain")
    base = first_where(bases, model=adversary.model)
    if adversary.accuracy_lost is None and base is not None:
        return base.mean.minus(adversary.accuracy)
    return adversary.accuracy_lost


CLAIMS = (
    Claim(
        "states-are-mixed",
        "A hidden state does not stand for the word at its position: many words matter to it.",
        f"the normalised entropy of the importance of words for a state is above {SPREAD}",
        f"the entropy is below {SPREAD}: few words matter to a state",
        ENTROPY,
        states_are_mixed,
    ),
    Claim(
        "follows-states",
        "Attention agrees with the importance of hidden states better than with that of inputs.",
        "the difference of scaled tau is above 0 for gradients and for leave-one-out; of softmax alone, as "
        "sparse attention agrees with states by construction",
        "attention agrees with inputs better, by gradients or by leave-one-out",
        CORRELATIONS,
        follows_states,
        others=(DIFFERENCES,),
    ),
    Claim(
        "no-closer-to-inputs",
        "Sparse attention is no closer to the importance of inputs.",
        f"tau, sparsemax less softmax, is below {MARGIN}, for gradients and for leave-one-out",
        f"sparsemax has a higher tau than softmax by more than {MARGIN}, by either",
        CORRELATIONS,
        partial(no_closer_to_inputs, scaled=False),
        others=(DIFFERENCES,),
    ),
    Claim(
        "no-closer-when-scaled",
        "The same for agreement rescaled to chance and to what ties allow.",
        f"scaled tau, sparsemax less softmax, is below {MARGIN}, for gradients and for leave-one-out",
        f"sparsemax comes further than softmax by more than {MARGIN}, by either",
        CORRELATIONS,
        partial(no_closer_to_inputs, scaled=True),
        corrects="no-closer-to-inputs",
        others=(DIFFERENCES,),
    ),
    Claim(
        "importance-no-sparser",
        "Sparser attention makes the importance of inputs no sparser; as the text has it, less so.",
        "sparsegen's lambda and the entropy of importance have a positive correlation",
        "entropy falls as attention is made sparser",
        SWEEP,
        partial(
            over_sweep,
            table=SWEEP,
            field="correlation",
            words="correlation of lambda with the entropy of",
            side=above,
        ),
    ),
    Claim(
        "importance-hardly-sparser",
        "Sparser attention makes the importance of inputs no sparser that matters, however regularly.",
        f"from the least sparse attention to the sparsest, normalised entropy falls by less than {MARGIN}",
        f"entropy falls by more than {MARGIN}, for gradients or for leave-one-out",
        SWEEP,
        partial(
            over_sweep,
            table=SWEEP,
            field="change",
            words="change of the entropy of",
            side=above,
            bound=-MARGIN,
        ),
        corrects="importance-no-sparser",
    ),
    Claim(
        "falls-with-sparsity",
        "The sparser attention is, the less it agrees with the importance of inputs.",
        "sparsegen's lambda and tau have a negative correlation, for gradients and for leave-one-out",
        "tau rises with lambda, for gradients or for leave-one-out",
        FIGURE_3,
        partial(
            over_sweep,
            table=FIGURE_3,
            field="correlation",
            words="correlation of lambda with tau with",
            side=below,
        ),
    ),
    Claim(
        "scaled-tau-falls-with-sparsity",
        "The same for agreement rescaled to chance and to what ties allow.",
        "sparsegen's lambda and scaled tau have a negative correlation, for gradients and for leave-one-out",
        "scaled tau rises with lambda, for gradients or for leave-one-out",
        FIGURE_3,
        partial(
            over_sweep,
            table=FIGURE_3,
            field="of_scaled",
            words="correlation of lambda with scaled tau with",
            side=below,
        ),
        corrects="falls-with-sparsity",
    ),
    Claim(
        "frozen-adversary",
        "With all else frozen, attention can be moved far, at a cost in accuracy.",
        f"the nearest adversary with a JSD above {FAR} has an accuracy below the base's",
        f"it is more accurate than the base; or all stay within {FAR}, and the furthest has lost accuracy",
        ADVERSARY,
        partial(adversaries, frozen=True),
        others=(ACCURACY,),
    ),
    Claim(
        "free-adversary",
        "With nothing frozen it can be moved far at no cost.",
        f"the nearest adversary with a JSD above {FAR} has an accuracy less than {WORSE} below the base's",
        f"it loses more than {WORSE} of accuracy; if all stay within {FAR} and lose less, none went far enough to tell",
        ADVERSARY,
        partial(adversaries, frozen=False),
        others=(ACCURACY,),
    ),
)
