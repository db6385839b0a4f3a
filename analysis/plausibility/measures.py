"""The measures of plausibility by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy

from analysis.measures.scores import Scores
from analysis.plausibility import orders
from analysis.plausibility.spans import iou_f1

SHARES = (0.1, 0.2)


@dataclass(frozen=True)
class Marked:
    """
    What one annotator has marked, of texts in which something is.

    marked : 0 or 1 per token. Shape: (tokens of all texts,)
    keys : one number per text, for what is drawn. Shape: (texts,)
    """

    marked: numpy.ndarray
    keys: numpy.ndarray


@dataclass(frozen=True)
class PlausibilityMeasure:
    """
    of : from scores, what is marked, and how many first tokens of each text are a guess of it, to a
        number per text.
    share : how many these are; None for as many as are marked, where the measure looks at all.
    lower_is_better : as of a position.
    """

    name: str
    of: Callable[[Scores, Marked, numpy.ndarray], numpy.ndarray]
    share: float | None = None
    lower_is_better: bool = False

    def values(
        self, scores: Scores, marked: Marked, k: numpy.ndarray | None = None
    ) -> numpy.ndarray:
        """Shape: (texts,)"""
        if self.share is not None:
            k = orders.top_share(scores.lengths, self.share)
        elif k is None:
            k = scores.sums(marked.marked)
        return self.of(scores, marked, k)

    def by_chance(self, scores: Scores, marked: Marked) -> numpy.ndarray:
        """What scores that say nothing have. Shape: (texts,)"""
        nothing = Scores(numpy.zeros_like(scores.values), scores.offsets, scores.known)
        return self.values(nothing, marked)


def measures(shares: Sequence[float] = SHARES) -> list[PlausibilityMeasure]:
    """At the length of the rationale, at these shares of a text, and of the whole order."""
    at_shares = []
    for share in (None, *shares):
        at = "" if share is None else f":share={share:g}"
        at_shares += [
            PlausibilityMeasure(
                f"token-f1{at}", lambda s, m, k: orders.token_f1(s, m.marked, k), share
            ),
            PlausibilityMeasure(
                f"iou-f1{at}", lambda s, m, k: iou_f1(s, m.marked, k, m.keys), share
            ),
        ]
    return [
        *at_shares,
        _of_order("auprc", orders.auprc),
        _of_order("average-precision", orders.average_precision),
        _of_order("first-marked", orders.first_marked, lower_is_better=True),
        _of_order("mass", orders.mass),
    ]


def _of_order(
    name: str, of: Callable[[Scores, numpy.ndarray], numpy.ndarray], lower_is_better: bool = False
) -> PlausibilityMeasure:
    """A measure of the whole order, whatever is a guess."""
    return PlausibilityMeasure(
        name, lambda scores, marked, k: of(scores, marked.marked), None, lower_is_better
    )
