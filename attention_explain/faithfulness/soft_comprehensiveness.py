"""Soft comprehensiveness: how much of the class is lost where embeddings go by their scores."""

import numpy

from attention_explain.faithfulness.faithfulness import Faithfulness
from attention_explain.faithfulness.soft import SoftMeasure


@Faithfulness.register("soft_comprehensiveness")
class SoftComprehensiveness(SoftMeasure):
    """
    Zhao & Aletras 2023, normalised: the higher, the better. Each number of token i's embedding stays
    with a chance of 1 - q_i; q_i is the token's score, from 0 for the least of the text to 1 for the
    most. With x' for such a text, and 0 for one in which no number stays, it is

    E[max(0, p(c|x) - p(c|x'))] / max(0, p(c|x) - p(c|0)),

    where E is the mean over the draws. (The published code has the two chances the wrong way round,
    and one draw.) Undefined where zeros take less than 1e-5 from the class, or all scores are equal.

    Registered as a `Faithfulness` with name "soft_comprehensiveness".

    # Parameters

    draws : `int`, optional (default = `10`)
        Over which the drop is averaged.
    seed : `int`, optional (default = `0`)
        With a text's id it decides what is dropped: the same random numbers for all methods.
    """

    name = "soft_comprehensiveness"
    equation = (
        "E max(0, p(c|x) - p(c|x')) / max(0, p(c|x) - p(c|0)), each number of an embedding kept in x' "
        "with chance 1 - q"
    )

    def __init__(self, draws: int = 10, seed: int = 0) -> None:
        super().__init__(draws, seed)

    def kept(self, importance: numpy.ndarray) -> numpy.ndarray:
        return 1.0 - importance

    def of_drop(self, share: float) -> float:
        return share
