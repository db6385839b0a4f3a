"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import Rows, near


def agreement(attention: float, methods: float) -> Rows:
    row = {"corpus": "sst", "model": "bilstm", "group": "overall", "measure": "kendall"}
    return [
        {**row, "first": "attention", "second": "lrp", **near(attention)},
        {**row, "first": "attention", "second": "occlusion", **near(attention)},
        {**row, "first": "lrp", "second": "occlusion", **near(methods)},
        {**row, "first": "attention", "second": "random", **near(0.9)},
    ]


def faithful(more: float) -> Rows:
    row = {"corpus": "sst", "model": "bilstm", "role": "plain", "erasure": "delete"}
    methods = ("gradient", "leave-one-out", "integrated-gradients", "lrp", "occlusion")
    return [
        {**row, "measure": measure, **ends, **near(by, "", "difference")}
        for measure in ("comprehensiveness", "sufficiency")
        for method in methods
        for ends, by in [
            # The better of the two is the first.
            ({"first": method, "second": "attention"}, more)
            if more > 0
            else ({"first": "attention", "second": method}, -more)
        ]
    ]


CASES: dict[str, Any] = {
    "saliency-is-more-faithful": (faithful(0.2), faithful(-0.2)),
    "without-sign-too": (faithful(0.2), faithful(-0.2)),
    "attention-stands-apart": (agreement(0.3, 0.6), agreement(0.6, 0.3)),
}
