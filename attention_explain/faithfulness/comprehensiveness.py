"""Comprehensiveness: what is lost without the most important tokens."""

from typing import List, Optional

import numpy

from attention_explain.faithfulness.bins import BinnedMeasure, drop, share_of_empty
from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.order_measure import ErasedText


@Faithfulness.register("comprehensiveness")
class Comprehensiveness(BinnedMeasure):
    """
    p(c|x) - p(c|x without the top k), at each bin k and as the mean over the bins, "AOPC" (DeYoung
    et al. 2020). c is the explained class, by default the predicted one; unclipped. A bin of k has
    the number of tokens nearest to k n, and at least one.

    `normalised_comprehensiveness` is that of Carton et al. 2020, 0 to 1 = the empty text:
    clip(p(c|x) - p(c|x without the top k)) / clip(p(c|x) - p(c|nothing)), each clipped to [0, 1];
    undefined where the empty text takes less than 1e-5.

    Registered as a `Faithfulness` with name "comprehensiveness".

    # Parameters

    bins : `List[float]`, optional (default = `[.01, .05, .1, .2, .5]`)
        Shares of the tokens.
    """

    name = "comprehensiveness"
    equation = "p(c|x) - p(c|x without the top k)"
    higher_is_better = True
    keeps = False

    def __init__(self, bins: Optional[List[float]] = None) -> None:
        super().__init__(bins)

    def terms(self, probs: numpy.ndarray, text: ErasedText) -> List[numpy.ndarray]:
        drops = drop(probs, text)
        return [drops, share_of_empty(drops, text)]
