"""The attention of another model, from the files that `attribute` or `perturb` wrote of it."""

from typing import Iterable, Sequence, Union

import numpy

from attention_explain.data.other_scores import OtherScores

# Of the sum of a text's weights, which are in single precision.
TOLERANCE = 1e-3


class OtherAttention(OtherScores):
    """The weights of texts; parameters as in `OtherScores`."""

    called = "attention over"
    needed = "a weight for each token, none negative, and of sum 1"

    def __init__(self, paths: Union[str, Iterable[str]], column: str = "attention") -> None:
        super().__init__(paths, column)

    def weights(self, id: str, tokens: Sequence[str]) -> numpy.ndarray:
        """Those of a text's tokens: not negative, and of sum 1. Shape: (tokens,)"""
        return self.scores(id, tokens)

    def _fits(self, scores: numpy.ndarray, tokens: int) -> bool:
        return (
            len(scores) == tokens
            and bool((scores >= 0).all())
            and abs(scores.sum() - 1) <= TOLERANCE
        )
