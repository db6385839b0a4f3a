"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, Rows, near, one


def order(attention: float, gradient: float) -> Rows:
    shares = {"attention": attention, "gradient": gradient, "gradient x attention": gradient}
    return [{**MODEL, "order": name, **near(share)} for name, share in shares.items()]


CASES: dict[str, Any] = {
    "top-matters-more": (
        one(effect="JSD of outputs", top=0.2, random=0.1, **near(0.1, "", "difference")),
        one(effect="JSD of outputs", top=0.1, random=0.2, **near(-0.1, "", "difference")),
    ),
    "not-the-best-order": (order(0.6, 0.3), order(0.3, 0.6)),
}
