"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any, Dict

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


CASES: Dict[str, Any] = {
    "strong-by-published": (top_k("as-published", 0.9, 0.7), top_k("as-published", 0.7, 0.9)),
    "above-chance": (top_k("fagin", 0.4, -0.5), top_k("fagin", -0.6, -0.5)),
    "strong-by-corrected": (top_k("fagin", 0.7, -0.5), top_k("fagin", 0.3, -0.5)),
    "sparser-agrees-better": (
        top_k("fagin", 0.7, 0, "average-length")
        + top_k("fagin", 0.5, 0, "average-length", projection="softmax"),
        top_k("fagin", 0.5, 0, "average-length")
        + top_k("fagin", 0.7, 0, "average-length", projection="softmax"),
    ),
    "use-decides": (usage(-1.0), usage(1.0)),
}
