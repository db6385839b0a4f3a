"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, Rows, near


def areas(integrated: float, gradient: float) -> Rows:
    methods = {"integrated-gradients": integrated, "gradient-x-input": gradient, "lrp": 0.5}
    return [
        {**MODEL, "method": method, **near(racu, "RACU", ""), "seeds": 3}
        for method, racu in methods.items()
    ]


CASES: dict[str, Any] = {"integrating-is-not-worth-it": (areas(0.4, 0.41), areas(0.6, 0.3))}
