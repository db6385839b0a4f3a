"""What Wiegreffe & Pinter 2019 claim."""

from typing import Dict, Iterator, List

from analysis.claims.claim import Claim, Judgement
from analysis.claims.parts import FAR, SMALL, above, below
from analysis.claims.table_rows import Tables, first_where, grouped
from analysis.papers.jain_wallace.instance_adversary import ADVERSARY as INSTANCE_ADVERSARY
from analysis.papers.shared.adversary_rows import AdversaryRow
from analysis.papers.wiegreffe_pinter.adversaries import ADVERSARIES
from analysis.papers.wiegreffe_pinter.seed_variance import SEEDS, SEEDS_TABLE
from analysis.papers.wiegreffe_pinter.usefulness import GUIDES_TABLE, UNIFORM_TABLE, GuideRow

# Of F1: the largest drop of the four data sets that are to be had is .023.
LITTLE = 0.03
# Of F1: what counts as no worse.
MARGIN = 0.02
# Of total variation: Jain & Wallace's bound on the change of an output.
SAME_OUTPUT = 0.05


def hardly_needed(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(UNIFORM_TABLE):
        if row.encoder != "affine":
            part = below("F1 learned less uniform:", row.drop, LITTLE)
            yield Judgement.of(row, part)


def of_use_to_others(tables: Tables) -> Iterator[Judgement]:
    for guides in _guides(tables):
        base = guides.get("base")
        if base is None:
            continue
        parts = []
        for name, words, bound in (
            ("uniform", "F1 guided less uniform:", 0.0),
            ("trained MLP", "guided less learned by itself:", -MARGIN),
        ):
            if name in guides:
                parts.append(above(words, base.f1.minus(guides[name].f1), bound))
        if parts:
            yield Judgement.of(base, *parts)


def adversary_of_no_use(tables: Tables) -> Iterator[Judgement]:
    for guides in _guides(tables):
        if "adversary" in guides and "trained MLP" in guides:
            lost = guides["trained MLP"].f1.minus(guides["adversary"].f1)
            part = above("F1 learned by itself less guided:", lost)
            yield Judgement.of(guides["adversary"], part)


def beyond_seeds(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(SEEDS_TABLE, predicted="overall", max_attention="all")
    for _, others in grouped(rows, "corpus", "model", "protocol"):
        seeds = first_where(others, other=SEEDS)
        adversary = next((row for row in others if row.other.startswith("adversary")), None)
        if seeds and adversary:
            further = adversary.jsd.minus(seeds.jsd, adversary.beyond_seeds)
            words = f"JSD of other seeds {seeds.jsd}; adversary less those:"
            yield Judgement.of(seeds, above(words, further))


def trained_adversary(tables: Tables) -> Iterator[Judgement]:
    for rows in _adversaries(tables):
        furthest = max(rows, key=_jsd)
        at = f"at lambda {furthest.lambda_:g}"
        parts = (
            above(f"{at} JSD", furthest.jsd, FAR),
            below(f"{at} TVD", furthest.tvd, SMALL),
        )
        yield Judgement.of(furthest, *parts)


def less_than_instances(tables: Tables) -> Iterator[Judgement]:
    for rows in _adversaries(tables):
        near = [row for row in rows if row.tvd.mean <= SAME_OUTPUT]
        # Where none is so near, the nearest: its distance is what so small a change allows at most.
        best = max(near, key=_jsd) if near else min(rows, key=lambda row: row.tvd.mean)
        by_text = best.by_text_jsd
        if best.by_text_less is None:
            instances = tables.rows(INSTANCE_ADVERSARY, predicted="overall", corpus=best.corpus)
            instance = first_where(instances, model=best.model)
            by_text = None if instance is None else instance.max_jsd
        if by_text is None:
            continue
        further = by_text.minus(best.jsd, best.by_text_less)
        words = f"JSD by text {by_text}, trained (TVD {best.tvd}) {best.jsd}; difference"
        yield Judgement.of(best, above(words, further))


def _jsd(row: AdversaryRow) -> float:
    return row.jsd.mean


def _guides(tables: Tables) -> Iterator[Dict[str, GuideRow]]:
    """Of each corpus and protocol the best-known guide of each kind."""
    for _, rows in grouped(tables.rows(GUIDES_TABLE), "corpus", "protocol"):
        guides: Dict[str, GuideRow] = {}
        for row in rows:
            guides.setdefault(_kind(str(row.guide)), row)
        yield guides


def _kind(guide: str) -> str:
    """`base LSTM` and `adversary, lambda 0.002` are kinds with a name behind them."""
    return next((kind for kind in ("base", "adversary") if guide.startswith(kind)), guide)


def _adversaries(tables: Tables) -> Iterator[List[AdversaryRow]]:
    """Of each model its adversaries that are not frozen."""
    rows = [row for row in tables.rows(ADVERSARIES) if not row.frozen]
    return (several for _, several in grouped(rows, "corpus", "model", "protocol"))


CLAIMS = (
    Claim(
        "hardly-needed",
        "On these data sets attention is hardly needed: uniform weights do about as well.",
        f"F1 with learned weights is less than {LITTLE} above that with uniform ones",
        f"uniform weights cost more than {LITTLE} of F1",
        UNIFORM_TABLE,
        hardly_needed,
    ),
    Claim(
        "beyond-seeds",
        "Attention varies little from seed to seed beside what an adversary does to it.",
        "the adversary's JSD less that of other seeds is above 0",
        "other seeds are further away than the adversary",
        SEEDS_TABLE,
        beyond_seeds,
    ),
    Claim(
        "of-use-to-others",
        "What a BiLSTM has learned to attend to is of use to a model without context.",
        f"its weights beat uniform ones, and are no more than {MARGIN} of F1 behind those that the model "
        "learns itself",
        f"uniform weights do better, or weights of its own by more than {MARGIN}",
        GUIDES_TABLE,
        of_use_to_others,
    ),
    Claim(
        "adversary-of-no-use",
        "An adversary's attention is of no use to it: they do not say what matters.",
        "F1 with weights of its own less that with the adversary's is above 0",
        "the model does better with the adversary's weights",
        GUIDES_TABLE,
        adversary_of_no_use,
    ),
    Claim(
        "trained-adversary",
        "A whole model can be trained to predict the same with attention far from the base's.",
        f"the furthest adversary has JSD above {FAR}, and TVD below {SMALL}",
        f"the furthest adversary stays within {FAR}, or its outputs move by more than {SMALL}",
        ADVERSARIES,
        trained_adversary,
    ),
    Claim(
        "less-than-instances",
        "What is found text by text overstates it: a trained model does not get as far at that cost.",
        f"JSD found by text less that of the furthest adversary with TVD up to {SAME_OUTPUT} is above 0",
        "a trained adversary gets further than what is found text by text",
        ADVERSARIES,
        less_than_instances,
        beside=(INSTANCE_ADVERSARY,),
    ),
)
