"""How much must go until the decision is another one?"""

from typing import Dict, List

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.curve import POINTS, grid
from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity
from attention_explain.faithfulness.order_measure import ErasedText, Found, OrderMeasure


@Faithfulness.register("decision_flip")
class DecisionFlip(OrderMeasure):
    """
    min i / n with argmax p(x without the first i of the order) other than argmax p(x), as Serrano &
    Smith 2019 have it for attention weights and Nguyen 2018 for tokens: the lower, the better. If
    there is none, even without any token, it is 1.

    `decision_flip_never` is 1 then, and else 0. `decision_flip_first` is 1 if the first token alone
    changes the decision. All are undefined where the explained class is not the decision.

    Registered as a `Faithfulness` with name "decision_flip".

    # Parameters

    points : `int`, optional (default = `50`)
        In a text of more tokens the first and then so many steps of like size are looked at: the
        share is that of the step in which the decision changes.
    """

    equation = "min i/n with argmax p(x without the first i) other than argmax p(x)"
    keeps = False

    def __init__(self, points: int = POINTS) -> None:
        if points < 1:
            raise InputError(f"points is {points}, but must be 1 or more")
        self.points = points

    def forms(self) -> Dict[str, bool]:
        return {"decision_flip": False, "decision_flip_first": True, "decision_flip_never": False}

    def sizes(self, tokens: int) -> List[int]:
        return sorted({1, *grid(tokens, self.points)})

    def quantities(self, tokens: int) -> List[Quantity]:
        """Each form of the measure."""
        return [Quantity(name, higher) for name, higher in self.forms().items()]

    def values(self, probs: numpy.ndarray, text: ErasedText) -> numpy.ndarray:
        if not _is_decision(text):
            return numpy.full((len(probs), 3), numpy.nan)
        shares = numpy.array(self.sizes(text.tokens)) / text.tokens
        # Shape: (orders, sizes)
        flips = probs.argmax(axis=-1) != text.target
        never = ~flips.any(axis=1)
        share = numpy.where(never, 1.0, shares[flips.argmax(axis=1)])
        return numpy.stack([share, flips[:, 0], never], axis=-1).astype(numpy.float64)

    def best(self, found: Found, text: ErasedText) -> numpy.ndarray:
        if not _is_decision(text):
            return numpy.full(3, numpy.nan)
        flips = {
            size: bool((found[size].probs.argmax(axis=-1) != text.target).any())
            for size in self.sizes(text.tokens)
        }
        smallest = min((size for size in flips if flips[size]), default=None)
        share = 1.0 if smallest is None else smallest / text.tokens
        return numpy.array([share, flips[1], smallest is None], dtype=numpy.float64)

    def why_undefined(self, text: ErasedText) -> str:
        return "the explained class is not the one that the model decides for"


def _is_decision(text: ErasedText) -> bool:
    return int(text.whole.argmax()) == text.target
