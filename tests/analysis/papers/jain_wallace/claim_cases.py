"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import AFFINE, MODEL, Rows, near, one, with_scaled


def pairs(attention: float, each_other: float, **more: Any) -> Rows:
    rows = [
        {**MODEL, **more, "scores": "attention", "importance": name, **near(attention)}
        for name in ("gradient", "leave-one-out")
    ]
    other = {"scores": "gradient", "importance": "leave-one-out", **near(each_other)}
    return [*rows, {**MODEL, **more, **other}]


def both(attention: float, norm: float, each_other: float, **more: Any) -> Rows:
    """With the norm of the gradient, and positions."""
    rows = pairs(attention, each_other, **more)
    row = {**MODEL, **more}
    rows += [
        {**row, "scores": "attention", "importance": "gradient norm", **near(norm)},
        {**row, "scores": "gradient norm", "importance": "leave-one-out", **near(each_other)},
    ]
    return with_scaled(rows, attention, attention, each_other, norm, each_other)


CASES: dict[str, Any] = {
    "weak-agreement": (pairs(0.3, 0.6), pairs(0.7, 0.6)),
    "less-than-each-other": (pairs(0.3, 0.6), pairs(0.7, 0.6)),
    "context-lowers": (
        pairs(0.3, 0.6) + pairs(0.6, 0.6, **AFFINE),
        pairs(0.6, 0.6) + pairs(0.3, 0.6, **AFFINE),
    ),
    "weak-by-every-gradient": (both(0.3, 0.4, 0.6), both(0.3, 0.7, 0.6)),
    "less-by-every-gradient": (both(0.3, 0.4, 0.6), both(0.3, 0.7, 0.6)),
    "context-lowers-by-every-gradient": (
        both(0.3, 0.3, 0.6) + both(0.6, 0.6, 0.6, **AFFINE),
        both(0.3, 0.6, 0.6) + both(0.6, 0.3, 0.6, **AFFINE),
    ),
    "shuffled": (
        one(**{"max attention": "all"}, **near(0.05)),
        one(**{"max attention": "all"}, **near(0.4)),
    ),
    "other-attention": (one(**near(0.5, "all")), one(**near(0.2, "all"))),
}
