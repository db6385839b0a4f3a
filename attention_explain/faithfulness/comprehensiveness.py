"""Comprehensiveness and sufficiency (DeYoung et al. 2020): the effect of the most important tokens."""

from collections.abc import Sequence

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity
from attention_explain.faithfulness.ranking_measure import AdditiveMeasure, MeasuredText
from attention_explain.passes import share_size

# Those of ERASER (DeYoung et al. 2020).
BINS = (0.01, 0.05, 0.1, 0.2, 0.5)
# The smallest probability drop of the empty text that can be divided by.
NOTHING = 1e-5


class BinnedMeasure(AdditiveMeasure):
    """
    A probability drop at several fractions of the tokens, and its normalised form.

    # Parameters

    bins : `List[float]`
        Fractions of the tokens.
    """

    def __init__(self, bins: list[float] | None = None) -> None:
        self.bins = check_bins(bins)

    def forms(self) -> dict[str, bool]:
        # Higher is better for the normalised form of both measures.
        return {self.name: self.higher_is_better, f"normalised_{self.name}": True}

    def sizes(self, tokens: int) -> list[int]:
        return sorted(set(bin_sizes(self.bins, tokens)))

    def quantities(self, tokens: int) -> list[Quantity]:
        """Each form of the measure at each bin, and its mean over bins."""
        return [
            Quantity(name, higher, share)
            for name, higher in self.forms().items()
            for share in [*self.bins, None]
        ]

    def weights(self, tokens: int) -> list[numpy.ndarray]:
        sizes = self.sizes(tokens)
        single = numpy.eye(len(sizes))
        of_bins = [single[sizes.index(size)] for size in bin_sizes(self.bins, tokens)]
        return [*of_bins, numpy.mean(of_bins, axis=0)]

    def why_undefined(self, text: MeasuredText) -> str:
        return (
            "the class is as probable without tokens as with all of them, so there is no drop to "
            "divide by"
        )


def check_bins(bins: list[float] | None) -> list[float]:
    """The bins in ascending order, by default those of ERASER."""
    ordered = sorted(BINS if bins is None else bins)
    if not ordered or not all(0 < share <= 1 for share in ordered):
        raise InputError(
            f"bins must be fractions of the tokens, above 0 and at most 1, but are {bins}"
        )
    if len(set(ordered)) < len(ordered):
        raise InputError(f"bins must be distinct, but are {bins}")
    return ordered


def bin_sizes(bins: Sequence[float], tokens: int) -> list[int]:
    """The number of tokens in each bin."""
    return [share_size(share, tokens) for share in bins]


def drop(probs: numpy.ndarray, text: MeasuredText) -> numpy.ndarray:
    """p(c|x) - p(c|set). Shape: (..., labels) -> (...,)"""
    return text.full[text.target] - probs[..., text.target]


def share_of_empty(drops: numpy.ndarray, text: MeasuredText) -> numpy.ndarray:
    """The drops divided by that of the empty text, all clipped to [0, 1]; NaN if that is too small."""
    nothing = float(numpy.clip(drop(text.empty, text), 0.0, 1.0))
    if nothing < NOTHING:
        return numpy.full_like(drops, numpy.nan)
    return numpy.clip(numpy.clip(drops, 0.0, 1.0) / nothing, 0.0, 1.0)


@Faithfulness.register("comprehensiveness")
class Comprehensiveness(BinnedMeasure):
    """
    p(c|x) - p(c|x without the top k), at each bin k and as the mean over the bins, "AOPC" (DeYoung
    et al. 2020). c is the explained class, by default the predicted one; unclipped. A bin k has the
    number of tokens nearest to k n, and at least one.

    `normalised_comprehensiveness` is that of Carton et al. 2020, from 0 to 1 = the empty text:
    clip(p(c|x) - p(c|x without the top k)) / clip(p(c|x) - p(c|nothing)), each clipped to [0, 1];
    undefined if the drop of the empty text is below 1e-5.

    Registered as a `Faithfulness` with name "comprehensiveness".

    # Parameters

    bins : `List[float]`, optional (default = `[.01, .05, .1, .2, .5]`)
        Fractions of the tokens.
    """

    name = "comprehensiveness"
    equation = "p(c|x) - p(c|x without the top k)"
    higher_is_better = True
    keeps = False

    def terms(self, probs: numpy.ndarray, text: MeasuredText) -> list[numpy.ndarray]:
        drops = drop(probs, text)
        return [drops, share_of_empty(drops, text)]


@Faithfulness.register("sufficiency")
class Sufficiency(BinnedMeasure):
    """
    p(c|x) - p(c|top k alone), at each bin k and as the mean over the bins, "AOPC" (DeYoung et al.
    2020): lower is better. c is the explained class, by default the predicted one; unclipped. A bin k
    has the number of tokens nearest to k n, and at least one.

    `normalised_sufficiency` is that of Carton et al. 2020, from 0 = the empty text to 1; higher is
    better: 1 - clip(p(c|x) - p(c|top k alone)) / clip(p(c|x) - p(c|nothing)), each
    clipped to [0, 1]; undefined if the drop of the empty text is below 1e-5.

    Registered as a `Faithfulness` with name "sufficiency".

    # Parameters

    bins : `List[float]`, optional (default = `[.01, .05, .1, .2, .5]`)
        Fractions of the tokens.
    """

    name = "sufficiency"
    equation = "p(c|x) - p(c|top k alone)"
    higher_is_better = False
    keeps = True

    def terms(self, probs: numpy.ndarray, text: MeasuredText) -> list[numpy.ndarray]:
        drops = drop(probs, text)
        return [drops, 1.0 - share_of_empty(drops, text)]
