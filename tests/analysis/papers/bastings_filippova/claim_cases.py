"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any, Dict

from tests.analysis.papers.claimed_rows import Rows, near


def agreement(attention: float, methods: float) -> Rows:
    row = {"corpus": "sst", "model": "bilstm", "group": "overall", "measure": "kendall"}
    return [
        {**row, "first": "attention", "second": "lrp", **near(attention)},
        {**row, "first": "attention", "second": "occlusion", **near(attention)},
        {**row, "first": "lrp", "second": "occlusion", **near(methods)},
        {**row, "first": "attention", "second": "random", **near(0.9)},
    ]


CASES: Dict[str, Any] = {
    "attention-stands-apart": (agreement(0.3, 0.6), agreement(0.6, 0.3)),
}
