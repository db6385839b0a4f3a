"""What deletion and insertion curves share: the class's probability token by token."""

from typing import Dict, List

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Quantity
from attention_explain.faithfulness.order_measure import AdditiveMeasure, ErasedText
from attention_explain.named_components import check_choice

ORDERS = ("falling", "rising")
POINTS = 50


class CurveMeasure(AdditiveMeasure):
    """
    # Parameters

    deletes : `bool`
        Whether tokens are taken out one by one, or put in.
    order : `str`
        `falling`: the most important first. `rising`: the least important first.
    points : `int`
        A text of more tokens is measured in so many steps of like size.
    """

    name: str

    def __init__(self, deletes: bool, order: str, points: int) -> None:
        check_choice("order", order, ORDERS)
        if points < 1:
            raise InputError(f"points is {points}, but must be 1 or more")
        self.order = order
        self.points = points
        # To take out the least important is to keep the most important: the same sets.
        self.keeps = deletes == (order == "rising")
        self._backwards = order == "rising"

    def forms(self) -> Dict[str, bool]:
        return {self.name: self.keeps}

    def sizes(self, tokens: int) -> List[int]:
        return [0, *grid(tokens, self.points)]

    def quantities(self, tokens: int) -> List[Quantity]:
        """The area under the curve."""
        return [Quantity(self.name, self.keeps)]

    def weights(self, tokens: int) -> List[numpy.ndarray]:
        # The trapezoid rule, over the share of tokens.
        shares = numpy.array(self.sizes(tokens)) / tokens
        halves = numpy.diff(shares) / 2
        return [numpy.append(halves, 0.0) + numpy.append(0.0, halves)]

    def terms(self, probs: numpy.ndarray, text: ErasedText) -> List[numpy.ndarray]:
        return [probs[..., text.target]]

    def curve(self, probs: numpy.ndarray, text: ErasedText) -> List[float]:
        heights = probs[:, text.target].tolist()
        return heights[::-1] if self._backwards else heights


def grid(tokens: int, points: int) -> List[int]:
    """1, 2, ... all tokens; of a text of more than `points` tokens so many of these, evenly spread."""
    steps = min(tokens, points)
    return [-(-step * tokens // steps) for step in range(1, steps + 1)]
