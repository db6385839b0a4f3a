"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, Rows


def deception(mass: float, accuracy: float, honest_mass: float = 0.6) -> Rows:
    common = {**MODEL, "seeds": 3, "sd accuracy": 0.001, "sd impermissible mass": 0.001}
    honest = {**common, "strength": 0.0, "accuracy": 0.99, "impermissible mass": honest_mass}
    deceptive = {**common, "strength": 1.0, "accuracy": accuracy, "impermissible mass": mass}
    return [honest, deceptive]


CASES: dict[str, Any] = {
    "takes-attention-away": (deception(0.01, 0.98), deception(0.3, 0.98)),
    "at-little-cost": (deception(0.01, 0.98), deception(0.01, 0.6)),
    "at-a-cost-on-sst-wiki": (deception(0.01, 0.6), deception(0.01, 0.98)),
}
