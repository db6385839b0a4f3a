"""What Wiegreffe & Pinter 2019 claim."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from analysis.claims.claim import FAR, SMALL, Judgement, Outcome, Part, above, below
from analysis.claims.table_rows import (
    TableRow,
    Tables,
    TypedTable,
    estimated,
    first_where,
    group_rows,
    where,
)
from analysis.papers.shared.adversary_rows import AdversaryRow, far_away, just_far
from analysis.papers.shared.paper import declared_claims, declared_printed
from analysis.papers.shared.published import VECTORS
from analysis.papers.wiegreffe_pinter.adversaries import ADVERSARIES
from analysis.papers.wiegreffe_pinter.seed_variance import SEEDS, SEEDS_TABLE, adversary_name
from analysis.papers.wiegreffe_pinter.usefulness import GUIDES_TABLE, UNIFORM_TABLE, GuideRow
from analysis.statistics.intervals import LEAST_SEEDS
from analysis.written import Estimate, average, number

THEIRS = f"theirs: the epoch selected on the test set; {VECTORS}"
DOUBLED = "theirs is doubled, as their code halves the distance once more"
PRINTED = declared_printed(__file__, {"DOUBLED": DOUBLED, "THEIRS": THEIRS})


@dataclass(frozen=True, kw_only=True)
class ReferenceRow(TableRow):
    """The distance of another model, or of the adversary that is searched per text, from the base."""

    other: str
    predicted: str
    tvd: Estimate = estimated("tvd")
    jsd: Estimate = estimated("jsd")


@dataclass(frozen=True, kw_only=True)
class ConvexityRow(TableRow):
    """The shape of the curve through these adversaries."""

    frozen: bool
    predicted: str
    adversaries: int
    convexity: Estimate = estimated("convexity")


REFERENCES_TABLE = TypedTable("wiegreffe-pinter-beside", ReferenceRow)
CONVEXITY_TABLE = TypedTable("wiegreffe-pinter-convexity", ConvexityRow)


def curves(tables: Tables) -> Iterator[list[AdversaryRow]]:
    """
    The adversaries of each model that are not frozen, sorted by the distance of attention. Those of one lambda with
    several bases are averaged. If some have several seeds, single ones are left out: the curve would follow the seeds.
    """
    rows = [row for row in tables.rows(ADVERSARIES) if not row.frozen]
    for _, several in group_rows(rows, "corpus", "model", "protocol"):
        with_seeds = [row for row in several if row.seeds >= LEAST_SEEDS] or several
        steps = [_one(alike) for _, alike in group_rows(with_seeds, "lambda_")]
        yield sorted(steps, key=lambda row: row.jsd.mean)


def tvd_at(curve: Sequence[AdversaryRow], jsd: float) -> Estimate | None:
    """The TVD of the outputs at this JSD, interpolated; None outside the curve."""
    for one, other in pairwise(curve):
        if one.jsd.mean <= jsd <= other.jsd.mean:
            width = other.jsd.mean - one.jsd.mean
            share = (jsd - one.jsd.mean) / width if width else 0.0
            return replace(
                one.tvd,
                **{
                    end: (1 - share) * getattr(one.tvd, end) + share * getattr(other.tvd, end)
                    for end in ("mean", "low", "high")
                },
            )
    return None


def _one(rows: Sequence[AdversaryRow]) -> AdversaryRow:
    if len(rows) == 1:
        return rows[0]
    return replace(
        rows[0],
        jsd=average([row.jsd for row in rows]),
        tvd=average([row.tvd for row in rows]),
        accuracy=average([row.accuracy for row in rows]),
    )


# For F1: two standard errors on a test set of the size of SST, 1725 texts.
LITTLE = 0.02
BY_TEXT, UNIFORM = "adversary for each text", "uniform"


def hardly_needed(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(UNIFORM_TABLE):
        if row.encoder != "affine":
            yield Judgement.of(row, below("F1 learned less uniform:", row.drop, LITTLE))


def beyond_seeds(tables: Tables) -> Iterator[Judgement]:
    """The adversary must still predict like its base: otherwise attention can be moved anywhere."""
    adversaries = [row for row in tables.rows(ADVERSARIES) if not row.frozen]
    rows = tables.rows(SEEDS_TABLE, predicted="overall", max_attention="all")
    for _, others in group_rows(rows, "corpus", "model", "protocol"):
        seeds = first_where(others, other=SEEDS)
        adversary = next((row for row in others if row.other.startswith("adversary")), None)
        if seeds and adversary:
            further = adversary.jsd.minus(seeds.jsd, adversary.beyond_seeds)
            words = f"JSD of other seeds {seeds.jsd}; {adversary.other} less those:"
            alike = [
                below("its TVD", row.tvd, SMALL)
                for row in where(adversaries, corpus=seeds.corpus, model=seeds.model)
                if adversary.other == adversary_name(row.lambda_)
            ]
            yield Judgement.of(seeds, above(words, further), *alike[:1])


def trained_adversary(tables: Tables, halved: bool) -> Iterator[Judgement]:
    """By the distance of the outputs, or by half of it, as the published code computes it."""
    for curve in curves(tables):
        adversary = just_far(curve)
        tvd, name = adversary.tvd, "TVD"
        if halved:
            tvd, name = (
                replace(tvd, mean=tvd.mean / 2, low=tvd.low / 2, high=tvd.high / 2),
                "halved TVD",
            )
        near = below(f"at lambda {adversary.lambda_:g} {name}", tvd, SMALL)
        paid = near.outcome is not Outcome.HOLDS
        yield Judgement.of(adversary, far_away(adversary, paid), near)


def curve_is_convex(tables: Tables) -> Iterator[Judgement]:
    for row in tables.rows(CONVEXITY_TABLE, frozen=False, predicted="overall"):
        words = f"convexity through {row.adversaries} adversaries"
        yield Judgement.of(row, above(words, row.convexity))


def at_equal_divergence(
    tables: Tables, other: str, compared: str, imitation: bool = False
) -> Iterator[Judgement]:
    """
    The TVD of the curve at the JSD of the other model, less the TVD of that model. With `imitation`, the TVD of
    the adversary at lambda 0 is subtracted as well: another model is never quite the base, wherever it attends.
    """
    rows = tables.rows(REFERENCES_TABLE, predicted="overall", other=other)
    for curve in curves(tables):
        # Adversaries have a protocol of their own; the reference has that of the base.
        reference = first_where(rows, corpus=curve[0].corpus, model=curve[0].model)
        unmoved = first_where(curve, lambda_=0)
        if reference is None or (imitation and unmoved is None):
            continue
        at = f"at a JSD of {number(reference.jsd.mean)} TVD"
        trained = tvd_at(curve, reference.jsd.mean)
        if trained is None:
            ends = f"{number(curve[0].jsd.mean)} to {number(curve[-1].jsd.mean)}"
            yield Judgement.of(curve[0], Part(f"{at}: the curve has {ends}", Outcome.UNKNOWN))
            continue
        words = f"{at} {trained} on the curve, {reference.tvd} {other};"
        if imitation and unmoved is not None:
            words = f"{words} {unmoved.tvd} at lambda 0;"
            trained = trained.minus(unmoved.tvd)
        yield Judgement.of(curve[0], above(f"{words} {compared}", trained.minus(reference.tvd)))


def guided(tables: Tables, pairs: Sequence[tuple[str, str]]) -> Iterator[Judgement]:
    """The gain in F1 by the first guide of each pair over the second, for models with all of these guides."""
    for _, rows in group_rows(tables.rows(GUIDES_TABLE), "corpus", "protocol"):
        guides: dict[str, GuideRow] = {}
        for row in rows:
            guides.setdefault(_kind(str(row.guide)), row)
        if all(name in guides for pair in pairs for name in pair):
            parts = [
                above(
                    f"F1 by {one} {guides[one].f1}, less by {other}:",
                    guides[one].f1.minus(guides[other].f1, guides[one].less(other)),
                )
                for one, other in pairs
            ]
            yield Judgement.of(guides[pairs[0][0]], *parts)


def _kind(guide: str) -> str:
    """The kind of a guide: `base` for `base LSTM`, `adversary` for `adversary, lambda 0.002`."""
    return next((kind for kind in ("base", "adversary") if guide.startswith(kind)), guide)


CLAIMS = declared_claims(
    __file__,
    {
        "hardly-needed": (UNIFORM_TABLE, hardly_needed),
        "beyond-seeds": (SEEDS_TABLE, beyond_seeds, ADVERSARIES),
        "of-use-to-others": (GUIDES_TABLE, partial(guided, pairs=[("base", "uniform")])),
        "order-of-guides": (
            GUIDES_TABLE,
            partial(guided, pairs=[("base", "trained MLP"), ("trained MLP", "uniform")]),
        ),
        "adversary-of-no-use": (
            GUIDES_TABLE,
            partial(guided, pairs=[("trained MLP", "adversary")]),
        ),
        "trained-adversary": (ADVERSARIES, partial(trained_adversary, halved=True)),
        "trained-adversary-by-tvd": (ADVERSARIES, partial(trained_adversary, halved=False)),
        "less-than-instances": (
            ADVERSARIES,
            partial(at_equal_divergence, other=BY_TEXT, compared="trained less by text:"),
            REFERENCES_TABLE,
        ),
        "less-beyond-imitation": (
            ADVERSARIES,
            partial(
                at_equal_divergence,
                other=BY_TEXT,
                compared="trained, less what imitation alone costs, less by text:",
                imitation=True,
            ),
            REFERENCES_TABLE,
        ),
        "convex": (CONVEXITY_TABLE, curve_is_convex),
        "uniform-under-the-curve": (
            ADVERSARIES,
            partial(at_equal_divergence, other=UNIFORM, compared="curve less uniform:"),
            REFERENCES_TABLE,
        ),
    },
    {"FAR": FAR, "LITTLE": LITTLE, "SMALL": SMALL},
)
