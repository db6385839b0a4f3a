"""What Meister et al. 2021 claim."""

from typing import Iterator

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import FAR, above, below
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.meister.adversaries import ADVERSARY
from analysis.papers.meister.correlations import ACCURACY, CORRELATIONS, DIFFERENCES, ENTROPY
from analysis.papers.meister.sparsity import SWEEP
from analysis.papers.shared.agreement_rows import judged_differences

# Of the normalised entropy: half of that of a state that all inputs matter to alike.
SPREAD = 0.5
# Of places, and of accuracy: what counts as no more, or no worse.
MARGIN = 0.05
WORSE = 0.02


def states_are_mixed(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(ENTROPY, role="plain"):
        yield Judgement.of(row, above("entropy", row.mean, SPREAD))


def follows_states(tables: Tables) -> Iterator[Judgement]:
    return judged_differences(
        tables.rows(CORRELATIONS, role="plain"),
        tables.rows(DIFFERENCES),
        alike=("model",),
        of={"importance_of": "hidden"},
        less={"importance_of": "input"},
        part=lambda words, closer: above(f"{words}, states less inputs:", closer),
    )


def no_closer_to_inputs(tables: Tables) -> Iterator[Judgement]:
    return judged_differences(
        tables.rows(CORRELATIONS, role="plain", importance_of="input"),
        tables.rows(DIFFERENCES),
        alike=("encoder", "attention"),
        of={"projection": "sparsemax"},
        less={"projection": "softmax"},
        part=lambda words, closer: below(f"{words}, sparsemax less softmax:", closer, MARGIN),
    )


def importance_no_sparser(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(SWEEP)
    keys = ("corpus", "encoder", "attention", "protocol")
    for (corpus, encoder, attention, protocol), alike in grouped(rows, *keys):
        parts = [
            above(f"correlation of lambda with the entropy of {row.importance}", row.correlation)
            for row in alike
        ]
        yield Judgement(corpus, f"{encoder} {attention}", tuple(parts), protocol)


def frozen_adversary(tables: Tables) -> Iterator[Judgement]:
    yield from _adversaries(tables, frozen=True)


def free_adversary(tables: Tables) -> Iterator[Judgement]:
    yield from _adversaries(tables, frozen=False)


def _adversaries(tables: Tables, frozen: bool) -> Iterator[Judgement]:
    """The furthest of each model; a frozen one is thought to lose accuracy, another not to."""
    rows = tables.rows(ADVERSARY, frozen=frozen)
    for (corpus, model, _), adversaries in grouped(rows, "corpus", "model", "protocol"):
        furthest = max(adversaries, key=lambda row: row.jsd.mean)
        parts = [above(f"at lambda {furthest.lambda_:g} JSD", furthest.jsd, FAR)]
        lost = furthest.accuracy_lost
        base = first_where(tables.rows(ACCURACY, corpus=corpus, role="plain"), model=model)
        if lost is None and base is not None:
            lost = base.mean.minus(furthest.accuracy)
        if lost is not None:
            words = f"accuracy {furthest.accuracy}, lost"
            parts.append(above(words, lost) if frozen else below(words, lost, WORSE))
        yield Judgement.of(furthest, *parts)


CLAIMS = (
    Claim(
        "states-are-mixed",
        "A hidden state does not stand for the word at its place: many words matter to it.",
        f"the normalised entropy of the importance of words for a state is above {SPREAD}",
        f"the entropy is below {SPREAD}: few words matter to a state",
        ENTROPY,
        states_are_mixed,
    ),
    Claim(
        "follows-states",
        "Attention agrees with the importance of hidden states better than with that of inputs.",
        "the difference of the places of tau is above 0 for gradients and for leave-one-out",
        "attention agrees with inputs better, by gradients or by leave-one-out",
        CORRELATIONS,
        follows_states,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "no-closer-to-inputs",
        "Sparse attention is no closer to the importance of inputs.",
        f"the place of tau, sparsemax less softmax, is below {MARGIN}, for gradients and for leave-one-out",
        f"sparsemax is closer to inputs than softmax by more than {MARGIN}, by either",
        CORRELATIONS,
        no_closer_to_inputs,
        beside=(DIFFERENCES,),
    ),
    Claim(
        "importance-no-sparser",
        "Sparser attention makes the importance of inputs no sparser; as the text has it, less so.",
        "sparsegen's lambda and the entropy of importance have a positive correlation",
        "entropy falls as attention is made sparser",
        SWEEP,
        importance_no_sparser,
    ),
    Claim(
        "frozen-adversary",
        "With all else frozen, attention can be moved far, at a cost in accuracy.",
        f"JSD above {FAR}, and accuracy below the base's",
        f"the furthest frozen adversary stays within {FAR}, or is more accurate than the base",
        ADVERSARY,
        frozen_adversary,
        beside=(ACCURACY,),
    ),
    Claim(
        "free-adversary",
        "With nothing frozen it can be moved far at no cost.",
        f"JSD above {FAR}, and accuracy less than {WORSE} below the base's",
        f"the furthest adversary stays within {FAR}, or loses more than {WORSE} of accuracy",
        ADVERSARY,
        free_adversary,
        beside=(ACCURACY,),
    ),
)
