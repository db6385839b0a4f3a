"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, Rows, near


def violations(attention: float, others: float) -> Rows:
    ratios = {"attention": attention, "attention-x-gradient": others, "gradient-x-input": others}
    row = {**MODEL, "measure": "violation", "erasure": "delete"}
    return [{**row, "method": name, **near(ratio)} for name, ratio in ratios.items()]


CASES: dict[str, Any] = {
    "attention-violates-signs": (violations(0.25, 0.02), violations(0.02, 0.25)),
}
