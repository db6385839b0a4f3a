"""Decision flip: the fraction of tokens to remove until the predicted label changes."""

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.curves import POINTS, grid
from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity
from attention_explain.faithfulness.ranking_measure import (
    MeasuredText,
    RankingMeasure,
    SearchResult,
)


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

    equation = "min i/n with argmax p(x without the first i) other than argmax p(x)"
    keeps = False

    def __init__(self, points: int = POINTS) -> None:
        if points < 1:
            raise InputError(f"points is {points}, but must be 1 or more")
        self.points = points

    def forms(self) -> dict[str, bool]:
        return {"decision_flip": False, "decision_flip_first": True, "decision_flip_never": False}

    def sizes(self, tokens: int) -> list[int]:
        return sorted({1, *grid(tokens, self.points)})

    def quantities(self, tokens: int) -> list[Quantity]:
        """Each form of the measure."""
        return [Quantity(name, higher) for name, higher in self.forms().items()]

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
