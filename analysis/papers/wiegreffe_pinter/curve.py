"""The curve of a model's adversaries as claims read it: by lambda, and at a given distance of attention."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Iterator, List, Optional, Sequence

from analysis.claims.table_rows import TableRow, Tables, TypedTable, estimated, grouped
from analysis.papers.shared.adversary_rows import AdversaryRow
from analysis.papers.wiegreffe_pinter.adversaries import ADVERSARIES
from analysis.statistics.intervals import LEAST_SEEDS
from analysis.written import Estimate, average


@dataclass(frozen=True, kw_only=True)
class BesideRow(TableRow):
    """How far another model, or an adversary for each text, is from the base."""

    other: str
    predicted: str
    tvd: Estimate = estimated("tvd")
    jsd: Estimate = estimated("jsd")


@dataclass(frozen=True, kw_only=True)
class ConvexityRow(TableRow):
    """The shape of the curve through so many adversaries."""

    frozen: bool
    predicted: str
    adversaries: int
    convexity: Estimate = estimated("convexity")


BESIDE_TABLE = TypedTable("wiegreffe-pinter-beside", BesideRow)
CONVEXITY_TABLE = TypedTable("wiegreffe-pinter-convexity", ConvexityRow)


def curves(tables: Tables) -> Iterator[List[AdversaryRow]]:
    """
    Of each model its adversaries that are not frozen, nearest attention first. Those of one lambda, held
    against several bases, are one. Where some have several seeds, these alone: between them and single ones, a
    curve would follow the seeds.
    """
    rows = [row for row in tables.rows(ADVERSARIES) if not row.frozen]
    for _, several in grouped(rows, "corpus", "model", "protocol"):
        with_seeds = [row for row in several if row.seeds >= LEAST_SEEDS] or several
        steps = [_one(alike) for _, alike in grouped(with_seeds, "lambda_")]
        yield sorted(steps, key=lambda row: row.jsd.mean)


def tvd_at(curve: Sequence[AdversaryRow], jsd: float) -> Optional[Estimate]:
    """
    How far outputs move where attention moves so far: on the line between the two adversaries that it lies
    between; None beyond the nearest and the furthest.
    """
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
