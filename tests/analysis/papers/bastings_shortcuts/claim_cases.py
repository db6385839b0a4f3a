"""Rows that keep the paper's claims, and rows that break them."""

from typing import Any

from tests.analysis.papers.claimed_rows import MODEL, Rows, near


def precision(encoder: str, **kinds: dict[str, float]) -> Rows:
    row = {**MODEL, "encoder": encoder}
    return [
        {**row, "kind": kind, "method": method, **near(value, "precision", "")}
        for kind, values in kinds.items()
        for method, value in values.items()
    ]


def of_kinds(single: float, context: float) -> Rows:
    return precision(
        "bilstm", single={"gradient-x-input": single}, context={"gradient-x-input": context}
    )


def of_methods(norm: float, times_input: float) -> Rows:
    return precision("bert", single={"gradient": norm, "gradient-x-input": times_input})


CASES: dict[str, Any] = {
    "norm-finds-shortcuts": (of_methods(0.99, 0.4), of_methods(0.4, 0.99)),
    "single-shortcut-found": (of_kinds(1.0, 0.5), of_kinds(0.5, 1.0)),
}
