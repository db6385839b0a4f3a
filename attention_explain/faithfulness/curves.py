"""Deletion and insertion curves: the probability of the class as tokens are removed or added."""

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity
from attention_explain.faithfulness.ranking_measure import AdditiveMeasure, MeasuredText
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

    name: str

    def __init__(self, deletes: bool, order: str, points: int) -> None:
        check_choice("order", order, ORDERS)
        if points < 1:
            raise InputError(f"points is {points}, but must be 1 or more")
        self.order = order
        self.points = points
        # Removing the least important tokens is keeping the most important: the same sets.
        self.keeps = deletes == (order == "rising")
        self._backwards = order == "rising"

    def forms(self) -> dict[str, bool]:
        return {self.name: self.keeps}

    def sizes(self, tokens: int) -> list[int]:
        return [0, *grid(tokens, self.points)]

    def quantities(self, tokens: int) -> list[Quantity]:
        """The area under the curve."""
        return [Quantity(self.name, self.keeps)]

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
