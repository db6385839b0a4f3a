"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, Rows, adversary, near, one


def guides(base: float, own: float, uniform: float, adversary: float = 0.6) -> Rows:
    f1 = {"uniform": uniform, "trained MLP": own, "base LSTM": base, "adversary": adversary}
    row = {"corpus": "sst", "model": "affine"}
    return [
        {**row, "guide": name, "f1": mean, "low": mean - 0.001, "high": mean + 0.001}
        for name, mean in f1.items()
    ]


def seeds(of_seeds: float, of_adversary: float) -> Rows:
    row = {**MODEL, "max attention": "all"}
    return [
        {**row, "other": "other seeds", **near(of_seeds)},
        {**row, "other": "adversary, lambda 0.002", **near(of_adversary)},
    ]


def curve(*tvds: float) -> Rows:
    """At a JSD of .1, where lambda is 0, .3 and .5."""
    rows = [row for jsd, tvd in zip((0.1, 0.3, 0.5), tvds) for row in adversary(jsd, tvd)]
    return [{**rows[0], "lambda": 0.0}, *rows[1:]]


def reference_rows(other: str, jsd: float, tvd: float) -> Rows:
    return one(other=other, **near(jsd, "jsd", ""), **near(tvd, "tvd", ""))


def shape(convexity: float) -> Rows:
    return one(frozen=False, adversaries=6, **near(convexity, "convexity", ""))


CASES: dict[str, Any] = {
    "hardly-needed": (one(**near(0.005, "drop", "")), one(**near(0.1, "drop", ""))),
    "beyond-seeds": (seeds(0.1, 0.6), seeds(0.3, 0.2)),
    "of-use-to-others": (guides(0.83, 0.9, 0.8), guides(0.7, 0.6, 0.8)),
    "order-of-guides": (guides(0.83, 0.82, 0.8), guides(0.83, 0.84, 0.8)),
    "adversary-of-no-use": (guides(0.83, 0.82, 0.8), guides(0.83, 0.82, 0.8, 0.9)),
    "trained-adversary": (adversary(0.6, 0.15), adversary(0.6, 0.3)),
    "trained-adversary-by-tvd": (adversary(0.6, 0.05), adversary(0.6, 0.15)),
    "less-than-instances": (curve(0.06, 0.08, 0.1), curve(0.01, 0.02, 0.03)),
    # Nothing is paid beyond imitation where the curve is flat, however high it lies.
    "less-beyond-imitation": (curve(0.06, 0.16, 0.2), curve(0.1, 0.1, 0.1)),
    "convex": (shape(0.3), shape(-0.3)),
    "uniform-under-the-curve": (curve(0.06, 0.08, 0.1), curve(0.01, 0.02, 0.03)),
}
OTHER_TABLES = {
    name: {"wiegreffe-pinter-beside": reference_rows(other, 0.4, 0.05)}
    for name, other in (
        ("less-than-instances", "adversary for each text"),
        ("less-beyond-imitation", "adversary for each text"),
        ("uniform-under-the-curve", "uniform"),
    )
}
