"""Meister et al. 2021, "Is Sparse Attention more Interpretable?": its exhibits and claims."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pandas

from analysis.claims.claim import FAR, Judgement, Outcome, Part, above, below
from analysis.claims.table_rows import Tables, TypedTable, first_where, group_rows
from analysis.papers.meister import correlations, sparsity
from analysis.papers.meister.correlations import (
    ACCURACY,
    ADVERSARY,
    CORRELATIONS,
    DIFFERENCES,
    ENTROPY,
)
from analysis.papers.meister.sparsity import FIGURE_3, HIDDEN, INPUTS, SWEEP
from analysis.papers.shared.adversary_rows import AdversaryRow, far_away, just_far
from analysis.papers.shared.agreement import judge_differences
from analysis.papers.shared.paper import (
    ATTENTION,
    GRADIENT,
    INPUT_TO_HIDDEN,
    Exhibit,
    Paper,
    StudyExhibit,
    declared_claims,
    declared_printed,
)
from analysis.papers.shared.published import VECTORS
from analysis.written import Estimate, average

# The number of epochs is not published.
THEIRS = f"their number of epochs is not known; {VECTORS}"
KEYS = ["corpus", "model", "frozen"]


def furthest(table: pandas.DataFrame) -> pandas.DataFrame:
    """The furthest adversary of each model, since their lambda is not known; printed numbers do not select it."""
    return table.loc[table.groupby(KEYS, sort=False)["jsd"].idxmax()]


PRINTED = tuple(
    replace(one, chosen=furthest) if one.table == ADVERSARY.name else one
    for one in declared_printed(__file__, {"THEIRS": THEIRS})
)


# For normalised entropy: half of that of a state to which all inputs matter alike.
SPREAD = 0.5
# For tau, scaled tau and normalised entropy: the largest difference that counts as none.
MARGIN = 0.05
# For accuracy: two standard errors on a test set of the size of SST, and rounding: in print, .02 is the most.
WORSE = 0.03
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
    of_each = judge_differences(
        [row for row in rows if row.scaled is not None or not scaled],
        tables.rows(DIFFERENCES),
        alike=("encoder", "attention"),
        of={"projection": "sparsemax"},
        less={"projection": "softmax"},
        part=lambda words, closer: below(f"{words}, sparsemax less softmax:", closer, MARGIN),
        scaled=scaled,
    )
    for judgement in of_each:
        known = [part.number for part in judgement.parts if part.number is not None]
        if known and judgement.outcome is not Outcome.NOTHING:
            mean = below("sparsemax less softmax, mean over both:", average(known), MARGIN)
            judgement = replace(judgement, parts=(mean,))
        yield judgement


def over_sweep(
    tables: Tables,
    table: TypedTable,
    field: str,
    words: str,
    side: Callable[..., Part],
    bound: float = 0.0,
    **equal: str,
) -> Iterator[Judgement]:
    """One part per kind of importance, or for one alone: the field of its row is on that side of the bound."""
    rows = [row for row in tables.rows(table, **equal) if getattr(row, field) is not None]
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


CLAIMS = declared_claims(
    __file__,
    {
        "states-are-mixed": (ENTROPY, states_are_mixed),
        "follows-states": (CORRELATIONS, follows_states, DIFFERENCES),
        "no-closer-to-inputs": (
            CORRELATIONS,
            partial(no_closer_to_inputs, scaled=False),
            DIFFERENCES,
        ),
        "no-closer-when-scaled": (
            CORRELATIONS,
            partial(no_closer_to_inputs, scaled=True),
            DIFFERENCES,
        ),
        "importance-sparser": (
            SWEEP,
            partial(
                over_sweep,
                table=SWEEP,
                field="correlation",
                words="correlation of lambda with the entropy of",
                side=below,
                importance=GRADIENT.title,
            ),
        ),
        "importance-much-sparser": (
            SWEEP,
            partial(
                over_sweep,
                table=SWEEP,
                field="change",
                words="change of the entropy of",
                side=below,
                bound=-MARGIN,
            ),
        ),
        "falls-with-sparsity": (
            FIGURE_3,
            partial(
                over_sweep,
                table=FIGURE_3,
                field="correlation",
                words="correlation of lambda with tau with",
                side=below,
            ),
        ),
        "scaled-tau-falls-with-sparsity": (
            FIGURE_3,
            partial(
                over_sweep,
                table=FIGURE_3,
                field="of_scaled",
                words="correlation of lambda with scaled tau with",
                side=below,
            ),
        ),
        "frozen-adversary": (ADVERSARY, partial(adversaries, frozen=True), ACCURACY),
        "free-adversary": (ADVERSARY, partial(adversaries, frozen=False), ACCURACY),
    },
    {"FAR": FAR, "MARGIN": MARGIN, "SPREAD": SPREAD, "WORSE": WORSE},
)


ALL = (ATTENTION, *INPUTS, *HIDDEN)
INPUTS_SEEN = (ATTENTION, *INPUTS)
swept = partial(Exhibit, fits=sparsity.swept, about=sparsity.ABOUT)

PAPER = Paper(
    "meister",
    "Meister et al. 2021",
    exhibits=(
        Exhibit(correlations.ENTROPY.name, (INPUT_TO_HIDDEN,), correlations.table_1),
        swept(sparsity.SWEEP.name, INPUTS, sparsity.table_2, least=3),
        Exhibit(correlations.ACCURACY.name, (), correlations.table_3),
        StudyExhibit(correlations.ADVERSARY.name, correlations.table_5),
        Exhibit(correlations.CORRELATIONS.name, ALL, correlations.table_6),
        Exhibit("meister-correlations", ALL, correlations.correlations),
        Exhibit("meister-entropies", (INPUT_TO_HIDDEN,), correlations.entropies),
        swept("meister-entropy-against-lambda", INPUTS, sparsity.entropy_against_lambda, least=2),
        swept(sparsity.FIGURE_3.name, INPUTS_SEEN, sparsity.figure_3, least=3),
        swept("meister-tau-against-lambda", ALL, sparsity.tau_against_lambda, least=2),
    ),
    claims=CLAIMS,
    printed=PRINTED,
    in_print=correlations.in_print,
)
