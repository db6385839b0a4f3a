"""One explained text: what `predict` prints, `attribute` writes and `explain` returns."""

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Sequence

import numpy

from heatmaps.rationales import MARKED, Rationale


@dataclass
class Explanation:
    """
    A text, what the model makes of it, and which of its tokens mattered by each method.

    tokens : without boundary symbols; every list of scores is as long.
    label : the predicted one.
    labels, probs : the model's labels and their probabilities, in the same order.
    attention : the model's weights.
    scores : of each method; None where it failed on this text, and `skipped` says why.
    signed : of each method, whether a score may be negative.
    checks : of each method that has any, numbers that tell how good its scores are.
    target : the label that is explained, where that is not the predicted one of each text.
    gold, rationale : where there are any; several annotators' markings are a list of them.
    contrary : 1 for each token that speaks against the gold label, where that is known.
    rationales : who says so, as `heatmaps.rationales` has it.
    unknown : 1 for each token that is not in the model's vocabulary; None where that says nothing.
    """

    tokens: List[str]
    label: str
    labels: List[str]
    probs: List[float]
    attention: Optional[List[float]] = None
    scores: Dict[str, Optional[List[float]]] = field(default_factory=dict)
    signed: Dict[str, bool] = field(default_factory=dict)
    checks: Dict[str, Dict[str, float]] = field(default_factory=dict)
    skipped: Dict[str, str] = field(default_factory=dict)
    id: str = ""
    target: Optional[str] = None
    gold: Optional[str] = None
    rationale: Optional[Rationale] = None
    contrary: Optional[List[int]] = None
    rationales: str = MARKED
    unknown: Optional[List[int]] = None

    def to_dict(self) -> Dict[str, Any]:
        """As a line of `allennlp predict`; what is not known is left out."""
        known: Dict[str, Any] = {
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
        }
        values = {name: value for name, value in known.items() if value is not None}
        values["saliency"] = {
            name: None if scores is None else short(scores) for name, scores in self.scores.items()
        }
        if self.checks:
            values["checks"] = {
                method: dict(zip(checks, short(checks.values()), strict=True))
                for method, checks in self.checks.items()
            }
        if self.skipped:
            values["skipped"] = self.skipped
        return values

    def __str__(self) -> str:
        from heatmaps.terminal import render

        return render(self)

    def _repr_html_(self) -> str:
        from heatmaps.html_page import fragment

        return fragment(self)


def short(values: Sequence[float]) -> List[float]:
    """
    The numbers with as many digits as single precision has: .3 for .30000001192092896, which is the
    same number there.
    """
    return [
        value if isinstance(value, int) else float(str(numpy.float32(value))) for value in values
    ]
