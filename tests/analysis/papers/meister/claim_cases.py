"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import (
    MODEL,
    SPARSE,
    Rows,
    adversary,
    near,
    one,
    with_scaled,
)


def tau_6(inputs: float, hidden: float, **more: Any) -> Rows:
    return [
        {**MODEL, **more, "importance of": of, "importance": name, **near(tau)}
        for of, tau in (("input", inputs), ("hidden", hidden))
        for name in ("gradient", "leave-one-out")
    ]


def placed(rows: Rows, position: float) -> Rows:
    return with_scaled(rows, *[position] * len(rows))


CASES: dict[str, Any] = {
    "states-are-mixed": (one(**near(0.9)), one(**near(0.3))),
    "follows-states": (tau_6(0.3, 0.7), tau_6(0.7, 0.3)),
    "no-closer-to-inputs": (
        tau_6(0.3, 0.7) + tau_6(0.31, 0.9, **SPARSE),
        tau_6(0.3, 0.7) + tau_6(0.6, 0.9, **SPARSE),
    ),
    "importance-sparser": (
        one(**near(-0.8), importance="gradient"),
        one(**near(0.8), importance="gradient"),
    ),
    "no-closer-when-scaled": (
        placed(tau_6(0.3, 0.7), 0.3) + placed(tau_6(0.6, 0.9, **SPARSE), 0.31),
        placed(tau_6(0.3, 0.7), 0.3) + placed(tau_6(0.31, 0.9, **SPARSE), 0.6),
    ),
    "importance-much-sparser": (
        one(**near(-0.8), importance="gradient", **near(-0.2, "entropy change", "")),
        one(**near(-0.8), importance="gradient", **near(-0.02, "entropy change", "")),
    ),
    "falls-with-sparsity": (
        one(**near(-0.8), importance="gradient"),
        one(**near(0.8), importance="gradient"),
    ),
    "scaled-tau-falls-with-sparsity": (
        one(**near(0.8), importance="gradient", **near(-0.8, "of scaled", "")),
        one(**near(-0.8), importance="gradient", **near(0.8, "of scaled", "")),
    ),
    "frozen-adversary": (adversary(0.6, accuracy=0.7, frozen=True), adversary(0.1, 0.1, 0.9, True)),
    "free-adversary": (adversary(0.6, accuracy=0.83), adversary(0.1, accuracy=0.7)),
}
BASE = {"meister-table-3": one(**near(0.82))}
OTHER_TABLES = {"frozen-adversary": BASE, "free-adversary": BASE}
