"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, SPARSE, Rows, near


def top_k(measure: str, mean: float, chance: float, k: str = "non-zero", **more: Any) -> Rows:
    row = {**MODEL, **SPARSE, **more, "measure": measure, "k": k, **near(mean)}
    row |= {"permuted mean": chance, **near(mean - chance, "above permuted", "")}
    return [{**row, "importance": name} for name in ("gradient", "leave-one-out")]


def usage(slope: float) -> Rows:
    return [
        {**MODEL, "model": f"model {number}", "change": number, "instance": slope * number}
        for number in range(6)
    ]


def small(measure: str, attention: float, each_other: float, **more: Any) -> Rows:
    """At every k; those of tables are words."""
    rows = []
    for k in ("1", "3", "5", "0.1"):
        row = {**MODEL, **SPARSE, **more, "measure": measure, "k": k}
        rows += [
            {**row, "scores": "attention", "importance": name, **near(attention)}
            for name in ("gradient", "leave-one-out")
        ]
        other = {"scores": "gradient", "importance": "leave-one-out", **near(each_other)}
        rows.append({**row, **other})
    return rows


SOFT = {"projection": "softmax", "model": "bilstm tanh softmax"}
PUBLISHED = "as-published"
CASES: dict[str, Any] = {
    "strong-by-published": (top_k(PUBLISHED, 0.9, 0.95), top_k(PUBLISHED, 0.3, 0.1)),
    "strong-by-corrected": (top_k("fagin", 0.7, -0.5), top_k("fagin", 0.3, -0.5)),
    "above-chance-by-published": (top_k(PUBLISHED, 0.9, 0.7), top_k(PUBLISHED, 0.7, 0.9)),
    "above-chance": (top_k("fagin", 0.4, -0.5), top_k("fagin", -0.6, -0.5)),
    "as-strong-as-each-other": (small(PUBLISHED, 0.6, 0.62), small(PUBLISHED, 0.6, 0.8)),
    "as-strong-by-corrected": (small("fagin", 0.6, 0.62), small("fagin", 0.2, 0.5)),
    "sparser-agrees-better": (
        top_k(PUBLISHED, 0.7, 0) + top_k(PUBLISHED, 0.5, 0, "average-length", **SOFT),
        top_k(PUBLISHED, 0.5, 0) + top_k(PUBLISHED, 0.7, 0, "average-length", **SOFT),
    ),
    "sparser-agrees-better-at-small-k": (
        small("fagin", 0.6, 0.62) + small("fagin", 0.5, 0.6, **SOFT),
        small("fagin", 0.5, 0.6) + small("fagin", 0.6, 0.6, **SOFT),
    ),
    "use-decides": (usage(-1.0), usage(1.0)),
}
