"""Sufficiency: what is lost with the most important tokens alone."""

from typing import List, Optional

import numpy

from attention_explain.faithfulness.bins import BinnedMeasure, drop, share_of_empty
from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.order_measure import ErasedText


@Faithfulness.register("sufficiency")
class Sufficiency(BinnedMeasure):
    """
    p(c|x) - p(c|top k alone), at each bin k and as the mean over the bins, "AOPC" (DeYoung et al.
    2020): the lower, the better. c is the explained class, by default the predicted one; unclipped.
    A bin of k has the number of tokens nearest to k n, and at least one.

    `normalised_sufficiency` is that of Carton et al. 2020, from 0 = the empty text to 1, and the
    higher the better: 1 - clip(p(c|x) - p(c|top k alone)) / clip(p(c|x) - p(c|nothing)), each
    clipped to [0, 1]; undefined where the empty text takes less than 1e-5.

    Registered as a `Faithfulness` with name "sufficiency".

    # Parameters

    bins : `List[float]`, optional (default = `[.01, .05, .1, .2, .5]`)
        Shares of the tokens.
    """

    name = "sufficiency"
    equation = "p(c|x) - p(c|top k alone)"
    higher_is_better = False
    keeps = True

    def __init__(self, bins: Optional[List[float]] = None) -> None:
        super().__init__(bins)

    def terms(self, probs: numpy.ndarray, text: ErasedText) -> List[numpy.ndarray]:
        drops = drop(probs, text)
        return [drops, 1.0 - share_of_empty(drops, text)]
