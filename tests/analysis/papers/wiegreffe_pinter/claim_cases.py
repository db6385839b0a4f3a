"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any, Dict

from tests.analysis.papers.claimed_rows import MODEL, Rows, adversary, near, one


def guides(base: float, adversary: float) -> Rows:
    f1 = {"uniform": 0.8, "trained MLP": 0.82, "base LSTM": base, "adversary": adversary}
    return [
        {
            "corpus": "sst",
            "model": "affine",
            "guide": name,
            "f1": mean,
            "low": mean - 0.001,
            "high": mean + 0.001,
        }
        for name, mean in f1.items()
    ]


def seeds(of_seeds: float, of_adversary: float) -> Rows:
    row = {**MODEL, "max attention": "all"}
    return [
        {**row, "other": "other seeds", **near(of_seeds)},
        {**row, "other": "adversary, lambda 0.002", **near(of_adversary)},
    ]


CASES: Dict[str, Any] = {
    "hardly-needed": (one(**near(0.005, "drop", "")), one(**near(0.1, "drop", ""))),
    "beyond-seeds": (seeds(0.1, 0.6), seeds(0.3, 0.2)),
    "of-use-to-others": (guides(0.83, 0.6), guides(0.7, 0.6)),
    "adversary-of-no-use": (guides(0.83, 0.6), guides(0.83, 0.9)),
    "trained-adversary": (adversary(0.6, 0.05), adversary(0.1, 0.3)),
    "less-than-instances": (adversary(0.2, 0.04), adversary(0.6, 0.04)),
}
BESIDE = {"less-than-instances": {"jain-wallace-adversary": one(**near(0.5, "all"))}}
