"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, Rows, near


def models(quantity: str, vanilla: float, diversity: float, orthogonal: float) -> Rows:
    values = {"vanilla": vanilla, "diversity": diversity, "orthogonal": orthogonal}
    return [
        {**MODEL, "training": name, "quantity": quantity, **near(value, "value", "")}
        for name, value in values.items()
    ]


CASES: dict[str, Any] = {
    "states-become-diverse": (models("conicity", 0.7, 0.2, 0.3), models("conicity", 0.2, 0.7, 0.1)),
    "diverse-at-little-cost": (
        models("accuracy", 0.8, 0.8, 0.8),
        models("accuracy", 0.8, 0.6, 0.8),
    ),
    "fewer-weights-to-flip": (
        models("attention order", 0.8, 0.2, 0.2),
        models("attention order", 0.2, 0.8, 0.1),
    ),
    "attends-to-rationales": (
        models("attention on rationale", 0.3, 0.6, 0.5),
        models("attention on rationale", 0.6, 0.3, 0.7),
    ),
    "correlates-with-gradients": (
        models("pearson", 0.6, 0.8, 0.8),
        models("pearson", 0.8, 0.6, 0.9),
    ),
    "nearer-to-gradients": (models("jsd", 0.2, 0.1, 0.1), models("jsd", 0.1, 0.2, 0.05)),
}
