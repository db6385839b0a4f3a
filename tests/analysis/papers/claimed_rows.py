"""
Rows as tables have them, for claims: each paper's folder has its `claim_cases`, by the name of the
claim the rows of its table that keep it and rows that break it, and what else it needs (`OTHER_TABLES`).
"""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pandas

from analysis.claims.table_rows import Tables
from analysis.papers.discovery import find_claim
from tests.analysis import papers

Rows = list[dict[str, Any]]
MODEL = {"corpus": "sst", "model": "bilstm tanh softmax", "encoder": "bilstm", "role": "plain"}
MODEL |= {"attention": "tanh", "projection": "softmax", "predicted": "overall"}
SPARSE = {"projection": "sparsemax", "model": "bilstm tanh sparsemax"}
AFFINE = {"encoder": "affine", "model": "affine tanh softmax"}


def near(mean: float, prefix: str = "", of_mean: str = "mean") -> dict[str, float]:
    """A number with a short interval."""
    name = f"{prefix} {of_mean}".strip()
    return {name: mean, f"{prefix} low".strip(): mean - 0.01, f"{prefix} high".strip(): mean + 0.01}


def one(**values: Any) -> Rows:
    return [{**MODEL, **values}]


def adversary(jsd: float, tvd: float = 0.05, accuracy: float = 0.8, frozen: bool = False) -> Rows:
    row = {
        **MODEL,
        "frozen": frozen,
        "lambda": round(jsd / 100, 6),
        **near(jsd, "jsd", ""),
        **near(tvd, "tvd", ""),
    }
    return [{**row, **near(accuracy, "accuracy", "")}]


def outcome(name: str, rows: Rows, **others: Rows) -> str:
    """On the claim, by the rows of its table and of others."""
    tables = {find_claim(name).table.name: rows, **others}
    (judgement,) = find_claim(name).judge(
        Tables({table: pandas.DataFrame(part) for table, part in tables.items()})
    )
    return judgement.outcome.value


def with_scaled(rows: Rows, *positions: float) -> Rows:
    """Of means that ties hold down."""
    return [
        {**row, "ceiling": 0.4, **near(position, "scaled", "")}
        for row, position in zip(rows, positions, strict=True)
    ]


def wide(rows: Rows) -> Rows:
    """The same numbers, with intervals that say nothing."""
    ends = {"low": -5.0, "high": 5.0}
    return [
        {name: ends.get(name.split()[-1], value) for name, value in row.items()} for row in rows
    ]


def all_cases() -> Iterator[Any]:
    """The `claim_cases` of each paper."""
    for folder in iter_modules(papers.__path__):
        if folder.ispkg and folder.name not in ("shared", "faithfulness"):
            yield import_module(f"{papers.__name__}.{folder.name}.claim_cases")
