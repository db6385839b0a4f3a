"""What comprehensiveness and sufficiency share: shares of a text's tokens, and two forms."""

from typing import Dict, List, Optional, Sequence

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Quantity
from attention_explain.faithfulness.order_measure import AdditiveMeasure, ErasedText
from attention_explain.orders import share_size

# Those of ERASER (DeYoung et al. 2020).
BINS = (0.01, 0.05, 0.1, 0.2, 0.5)
# Less that the empty text takes from the class is nothing to divide by.
NOTHING = 1e-5


class BinnedMeasure(AdditiveMeasure):
    """
    # Parameters

    bins : `List[float]`
        Shares of the tokens.
    """

    # Of the measure, and whether more of it is better; the normalised form's follow.
    name: str
    higher_is_better: bool

    def __init__(self, bins: Optional[List[float]] = None) -> None:
        self.bins = sorted(BINS if bins is None else bins)
        if not self.bins or not all(0 < share <= 1 for share in self.bins):
            raise InputError(
                f"bins must be shares of the tokens, above 0 and at most 1, but are {bins}"
            )
        if len(set(self.bins)) < len(self.bins):
            raise InputError(f"bins are {bins}, of which two are the same")

    def forms(self) -> Dict[str, bool]:
        # The normalised form of either is better the higher it is.
        return {self.name: self.higher_is_better, f"normalised_{self.name}": True}

    def sizes(self, tokens: int) -> List[int]:
        return sorted(set(bin_sizes(self.bins, tokens)))

    def quantities(self, tokens: int) -> List[Quantity]:
        """Each form of the measure at each bin, and its mean over bins."""
        return [
            Quantity(name, higher, share)
            for name, higher in self.forms().items()
            for share in [*self.bins, None]
        ]

    def weights(self, tokens: int) -> List[numpy.ndarray]:
        sizes = self.sizes(tokens)
        single = numpy.eye(len(sizes))
        of_bins = [single[sizes.index(size)] for size in bin_sizes(self.bins, tokens)]
        return [*of_bins, numpy.mean(of_bins, axis=0)]

    def why_undefined(self, text: ErasedText) -> str:
        return (
            "without any token the class is as probable as with all, so nothing can be divided by"
        )


def bin_sizes(bins: Sequence[float], tokens: int) -> List[int]:
    """The number of tokens in each bin."""
    return [share_size(share, tokens) for share in bins]


def drop(probs: numpy.ndarray, text: ErasedText) -> numpy.ndarray:
    """p(c|x) - p(c|set). Shape: (..., labels) -> (...,)"""
    return text.whole[text.target] - probs[..., text.target]


def share_of_empty(drops: numpy.ndarray, text: ErasedText) -> numpy.ndarray:
    """The drops, within [0, 1], by that of the empty text, within [0, 1]; NaN if that is none."""
    nothing = float(numpy.clip(drop(text.empty, text), 0.0, 1.0))
    if nothing < NOTHING:
        return numpy.full_like(drops, numpy.nan)
    return numpy.clip(numpy.clip(drops, 0.0, 1.0) / nothing, 0.0, 1.0)
