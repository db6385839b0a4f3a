"""Wiegreffe & Pinter 2019, "Attention is not not Explanation"."""

from typing import Dict, Iterator, List, Tuple

from analysis.claims.claim import FAR, SMALL, Claim, Judgement, above, below
from analysis.claims.estimate import Estimate, estimate, less, nothing_in, paired
from analysis.claims.table_rows import Row, Tables, grouped, one
from analysis.papers.jain_wallace.claims import ADVERSARY as INSTANCE_ADVERSARY

UNIFORM = "wiegreffe-pinter-table-2"
GUIDES = "wiegreffe-pinter-table-3"
ADVERSARIES = "wiegreffe-pinter-table-5"
SEEDS = "wiegreffe-pinter-seeds"

# Of F1: the largest drop of the four data sets that are to be had is .023.
LITTLE = 0.03
# Of F1: what counts as no worse.
MARGIN = 0.02
# Of total variation: Jain & Wallace's bound on the change of an output.
SAME_OUTPUT = 0.05


def hardly_needed(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(UNIFORM):
        if row["encoder"] != "affine":
            part = below("F1 learned less uniform:", estimate(row, "drop", difference=True), LITTLE)
            yield Judgement(row["corpus"], row["model"], (part,))


def of_use_to_others(tables: Tables) -> Iterator[Judgement]:
    for corpus, guides in _guides(tables):
        base = guides.get("base")
        if base is None:
            continue
        parts = []
        for name, words, bound in (
            ("uniform", "F1 guided less uniform:", 0.0),
            ("trained MLP", "guided less learned by itself:", -MARGIN),
        ):
            if name in guides:
                gained = _f1(base).minus(_f1(guides[name]))
                parts.append(above(words, gained, bound))
        if parts:
            yield Judgement(corpus, base["model"], tuple(parts))


def adversary_of_no_use(tables: Tables) -> Iterator[Judgement]:
    for corpus, guides in _guides(tables):
        if "adversary" in guides and "trained MLP" in guides:
            learned, guided = (_f1(guides[name]) for name in ("trained MLP", "adversary"))
            part = above("F1 learned by itself less guided:", learned.minus(guided))
            yield Judgement(corpus, guides["adversary"]["model"], (part,))


def beyond_seeds(tables: Tables) -> Iterator[Judgement]:
    rows = tables.rows(SEEDS, predicted="overall", max_attention="all")
    for (corpus, model), found in grouped(("corpus", "model"), rows):
        seeds = one(found, other="other seeds")
        adversary = next((row for row in found if row["other"].startswith("adversary")), None)
        if seeds and adversary:
            further = less(estimate(adversary), estimate(seeds), adversary, "beyond seeds")
            words = f"JSD of other seeds {estimate(seeds)}; adversary less those:"
            yield Judgement(corpus, model, (above(words, further),))


def trained_adversary(tables: Tables) -> Iterator[Judgement]:
    for (corpus, model), rows in _adversaries(tables):
        furthest = max(rows, key=lambda row: row["jsd"])
        at = f"at lambda {furthest['lambda']:g}"
        parts = (
            above(f"{at} JSD", estimate(furthest, "jsd"), FAR),
            below(f"{at} TVD", estimate(furthest, "tvd"), SMALL),
        )
        yield Judgement(corpus, model, parts)


def less_than_instances(tables: Tables) -> Iterator[Judgement]:
    for (corpus, model), rows in _adversaries(tables):
        near = [row for row in rows if row["tvd"] <= SAME_OUTPUT]
        # Where none is so near, the nearest: its distance is what so small a change allows at most.
        best = max(near, key=_jsd) if near else min(rows, key=lambda row: row["tvd"])
        trained, further = estimate(best, "jsd"), paired(best, "by text less")
        if further is not None:
            found = estimate(best, "by text jsd")
        else:
            instances = tables.rows(INSTANCE_ADVERSARY, predicted="overall", corpus=corpus)
            instance = one(instances, model=model)
            if instance is None:
                continue
            found = estimate(instance, "all")
            further = found.minus(trained)
        words = f"JSD by text {found}, trained (TVD {estimate(best, 'tvd')}) {trained}; difference"
        yield Judgement(corpus, model, (above(words, further),))


def _f1(row: Row) -> Estimate:
    return Estimate(row["f1"], row["low"], row["high"], nothing=nothing_in(row))


def _jsd(row: Row) -> float:
    return row["jsd"]


def _guides(tables: Tables) -> Iterator[Tuple[str, Dict[str, Row]]]:
    """The best-known guide of each kind, by corpus."""
    for (corpus,), rows in grouped(("corpus",), tables.rows(GUIDES)):
        guides: Dict[str, Row] = {}
        for row in rows:
            guides.setdefault(_kind(str(row["guide"])), row)
        yield corpus, guides


def _kind(guide: str) -> str:
    """`base LSTM` and `adversary, lambda 0.002` are kinds with a name behind them."""
    return next((kind for kind in ("base", "adversary") if guide.startswith(kind)), guide)


def _adversaries(tables: Tables) -> Iterator[Tuple[tuple, List[Row]]]:
    rows = [row for row in tables.rows(ADVERSARIES) if not row["frozen"]]
    return grouped(("corpus", "model"), rows)


CLAIMS = (
    Claim(
        "hardly-needed",
        "On these data sets attention is hardly needed: uniform weights do about as well.",
        f"F1 with learned weights is less than {LITTLE} above that with uniform ones",
        UNIFORM,
        hardly_needed,
    ),
    Claim(
        "beyond-seeds",
        "Attention varies little from seed to seed beside what an adversary does to it.",
        "the adversary's JSD less that of other seeds is above 0",
        SEEDS,
        beyond_seeds,
    ),
    Claim(
        "of-use-to-others",
        "What a BiLSTM has learned to attend to is of use to a model without context.",
        f"its weights beat uniform ones, and are no more than {MARGIN} of F1 behind those that the model "
        "learns itself",
        GUIDES,
        of_use_to_others,
    ),
    Claim(
        "adversary-of-no-use",
        "An adversary's attention is of no use to it: they do not say what matters.",
        "F1 with weights of its own less that with the adversary's is above 0",
        GUIDES,
        adversary_of_no_use,
    ),
    Claim(
        "trained-adversary",
        "A whole model can be trained to predict the same with attention far from the base's.",
        f"the furthest adversary has JSD above {FAR}, and TVD below {SMALL}",
        ADVERSARIES,
        trained_adversary,
    ),
    Claim(
        "less-than-instances",
        "What is found text by text overstates it: a trained model does not get as far at that cost.",
        f"JSD found by text less that of the furthest adversary with TVD up to {SAME_OUTPUT} is above 0",
        ADVERSARIES,
        less_than_instances,
        beside=(INSTANCE_ADVERSARY,),
    ),
)
