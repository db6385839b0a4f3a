"""Soft sufficiency: how much of the class is left where embeddings stay by their scores."""

import numpy

from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.soft import SoftMeasure


@Faithfulness.register("soft_sufficiency")
class SoftSufficiency(SoftMeasure):
    """
    Zhao & Aletras 2023, normalised: the higher, the better. Each number of token i's embedding stays
    with a chance of q_i; q_i is the token's score, from 0 for the least of the text to 1 for the
    most. With x' for such a text, and 0 for one in which no number stays, it is

    1 - E[max(0, p(c|x) - p(c|x'))] / max(0, p(c|x) - p(c|0)),

    where E is the mean over the draws. (The published code has the two chances the wrong way round,
    and one draw.) Undefined where zeros take less than 1e-5 from the class, or all scores are equal.

    Registered as a `Faithfulness` with name "soft_sufficiency".

    # Parameters

    draws : `int`, optional (default = `10`)
        Over which the drop is averaged.
    seed : `int`, optional (default = `0`)
        With a text's id it decides what is dropped: the same random numbers for all methods.
    """

    name = "soft_sufficiency"
    equation = (
        "1 - E max(0, p(c|x) - p(c|x')) / max(0, p(c|x) - p(c|0)), each number of an embedding kept in x' "
        "with chance q"
    )

    def __init__(self, draws: int = 10, seed: int = 0) -> None:
        super().__init__(draws, seed)

    def kept(self, importance: numpy.ndarray) -> numpy.ndarray:
        return importance

    def of_drop(self, share: float) -> float:
        return 1.0 - share
