"""
One explained text: what `predict` prints, `attribute` writes, `explain` returns, and a row of an attribution file
contains.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from attention_explain.files.attributions import ExplainedText, attributes

# The side of a pair of texts if both have scores.
BOTH = "both"


@dataclass
class Explanation(ExplainedText):
    """An explained text that prints itself, in the terminal and in notebooks."""

    @property
    def context(self) -> str | None:
        """The text of the pair without scores, after its name; None if both have scores."""
        if self.other is None or self.side == BOTH:
            return None
        return f"{'passage' if self.side == 'query' else 'query'}: {' '.join(self.other)}"

    @property
    def query_start(self) -> int | None:
        """The index of the first token of the query, if both texts have scores."""
        return len(self.tokens) - len(self.other or ()) if self.side == BOTH else None

    def to_dict(self) -> dict[str, Any]:
        """A line of `allennlp predict`, without unknown values."""
        known: dict[str, Any] = {
            "id": self.id or None,
            "tokens": self.tokens,
            "label": self.label,
            "gold": self.gold,
            "target": self.target,
            "labels": self.labels,
            "probs": short(self.probs),
            "attention": None if self.attention is None else short(self.attention),
            "rationale": self.rationale,
            "unknown": self.unknown,
            "side": self.side,
            "other": self.other,
        }
        values = {name: value for name, value in known.items() if value is not None}
        values["saliency"] = {
            name: None if scores is None else short(scores) for name, scores in self.scores.items()
        }
        if self.checks:
            values["checks"] = {
                method: dict(zip(checks, short(list(checks.values())), strict=True))
                for method, checks in self.checks.items()
            }
        if self.skipped:
            values["skipped"] = self.skipped
        return values

    def __str__(self) -> str:
        from attention_explain.heatmaps.terminal import render

        return render(self)

    def _repr_html_(self) -> str:
        from attention_explain.heatmaps.html_page import fragment

        return fragment(self)


def short(values: Sequence[float]) -> list[float]:
    """Round to the digits of single precision: .3 for .30000001192092896."""
    return [
        value if isinstance(value, int) else float(str(numpy.float32(value))) for value in values
    ]


def explanations(
    rows: Iterable[Mapping[str, Any]], metadata: Mapping[str, Any]
) -> Iterator[Explanation]:
    """
    The explained texts of an attribution file.

    # Parameters

    rows : `Iterable[Mapping[str, Any]]`
        By column, as `pyarrow.Table.to_pylist` returns them.
    metadata : `Mapping[str, Any]`
        The metadata of the file.
    """
    return (Explanation(**attributes(row, metadata)) for row in rows)
