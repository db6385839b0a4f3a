"""
Deletion and insertion curves, the probability of the class as tokens are removed or added, and the
decision flip, the fraction of tokens to remove until the predicted label changes.
"""

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.ranking_measure import (
    AdditiveMeasure,
    MeasuredText,
    RankingMeasure,
    SearchResult,
)
from attention_explain.named_components import check_choice

ORDERS = ("falling", "rising")
POINTS = 50


class CurveMeasure(AdditiveMeasure):
    """
    # Parameters

    deletes : `bool`
        Whether tokens are removed one by one, or added.
    order : `str`
        `falling`: the most important first. `rising`: the least important first.
    points : `int`
        The number of equal steps in a text of more tokens.
    """

    def __init__(self, deletes: bool, order: str, points: int) -> None:
        check_choice("order", order, ORDERS)
        self.order = order
        self.points = _checked_points(points)
        # Removing the least important tokens is keeping the most important: the same sets.
        self.keeps = self.higher_is_better = deletes == (order == "rising")
        self._backwards = order == "rising"

    def sizes(self, tokens: int) -> list[int]:
        return [0, *grid(tokens, self.points)]

    def weights(self, tokens: int) -> list[numpy.ndarray]:
        # The trapezoid rule, over the fraction of tokens.
        shares = numpy.array(self.sizes(tokens)) / tokens
        halves = numpy.diff(shares) / 2
        return [numpy.append(halves, 0.0) + numpy.append(0.0, halves)]

    def terms(self, probs: numpy.ndarray, text: MeasuredText) -> list[numpy.ndarray]:
        return [probs[..., text.target]]

    def curve(self, probs: numpy.ndarray, text: MeasuredText) -> list[float]:
        heights = probs[:, text.target].tolist()
        return heights[::-1] if self._backwards else heights


def _checked_points(points: int) -> int:
    if points < 1:
        raise InputError(f"points is {points}, but must be 1 or more")
    return points


def grid(tokens: int, points: int) -> list[int]:
    """1, 2, ... all tokens; in a text of more than `points` tokens, `points` of these, evenly spread."""
    steps = min(tokens, points)
    return [-(-step * tokens // steps) for step in range(1, steps + 1)]


@Faithfulness.register("deletion_curve")
class DeletionCurve(CurveMeasure):
    """
    The area under p(c|x without the first i of the order) over i / n, i = 0, 1, ... n, by the
    trapezoid rule (Samek et al. 2017, Petsiuk et al. 2018): lower is better. The curve is stored.

    In rising order the least important tokens are removed first, and higher is better: the same area
    as that of the insertion curve in falling order, and the same curve reversed.

    Registered as a `Faithfulness` with name "deletion_curve".

    # Parameters

    order : `str`, optional (default = `"falling"`)
        `falling`: the most important token is removed first. `rising`: the least important.
    points : `int`, optional (default = `50`)
        The number of equal steps in a text of more tokens; the curve has one more point.
    """

    name = "deletion_curve"
    equation = "area under p(c|x without the first i) over i/n"

    def __init__(self, order: str = "falling", points: int = POINTS) -> None:
        super().__init__(True, order, points)


@Faithfulness.register("insertion_curve")
class InsertionCurve(CurveMeasure):
    """
    The area under p(c|the first i of the order alone) over i / n, i = 0, 1, ... n, by the trapezoid
    rule (Petsiuk et al. 2018): higher is better. The curve is stored.

    In rising order the least important tokens are added first, and lower is better: the same area as
    that of the deletion curve in falling order, and the same curve reversed.

    Registered as a `Faithfulness` with name "insertion_curve".

    # Parameters

    order : `str`, optional (default = `"falling"`)
        `falling`: the most important token is added first. `rising`: the least important.
    points : `int`, optional (default = `50`)
        The number of equal steps in a text of more tokens; the curve has one more point.
    """

    name = "insertion_curve"
    equation = "area under p(c|the first i alone) over i/n"

    def __init__(self, order: str = "falling", points: int = POINTS) -> None:
        super().__init__(False, order, points)


@Faithfulness.register("decision_flip")
class DecisionFlip(RankingMeasure):
    """
    min i / n with argmax p(x without the top i) != argmax p(x), as defined by Serrano & Smith 2019 for
    attention weights and Nguyen 2018 for tokens: lower is better. If the prediction never changes, it
    is 1.

    `decision_flip_never` is 1 in that case, otherwise 0. `decision_flip_first` is 1 if removing the
    top token changes the prediction. All are undefined if the explained class is not the predicted one.

    Registered as a `Faithfulness` with name "decision_flip".

    # Parameters

    points : `int`, optional (default = `50`)
        In a text of more tokens, the top token and this number of equal steps are evaluated; the
        value is the fraction at the step where the prediction changes.
    """

    name = "decision_flip"
    higher_is_better = False
    equation = "min i/n with argmax p(x without the first i) other than argmax p(x)"
    keeps = False

    def __init__(self, points: int = POINTS) -> None:
        self.points = _checked_points(points)

    def forms(self) -> dict[str, bool]:
        return {self.name: False, f"{self.name}_first": True, f"{self.name}_never": False}

    def sizes(self, tokens: int) -> list[int]:
        return sorted({1, *grid(tokens, self.points)})

    def values(self, probs: numpy.ndarray, text: MeasuredText) -> numpy.ndarray:
        if not _is_decision(text):
            return numpy.full((len(probs), 3), numpy.nan)
        shares = numpy.array(self.sizes(text.tokens)) / text.tokens
        # Shape: (rankings, sizes)
        flips = probs.argmax(axis=-1) != text.target
        never = ~flips.any(axis=1)
        share = numpy.where(never, 1.0, shares[flips.argmax(axis=1)])
        return numpy.stack([share, flips[:, 0], never], axis=-1).astype(numpy.float64)

    def best(self, found: SearchResult, text: MeasuredText) -> numpy.ndarray:
        if not _is_decision(text):
            return numpy.full(3, numpy.nan)
        flips = {
            size: bool((found[size].probs.argmax(axis=-1) != text.target).any())
            for size in self.sizes(text.tokens)
        }
        smallest = min((size for size in flips if flips[size]), default=None)
        share = 1.0 if smallest is None else smallest / text.tokens
        return numpy.array([share, flips[1], smallest is None], dtype=numpy.float64)

    def why_undefined(self, text: MeasuredText) -> str:
        return "the explained class is not the predicted one"


def _is_decision(text: MeasuredText) -> bool:
    return int(text.full.argmax()) == text.target
