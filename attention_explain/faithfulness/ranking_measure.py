"""
Measures of a ranking of tokens, from the model's output when the top tokens are removed or are the only
ones kept: comprehensiveness and sufficiency (DeYoung et al. 2020), deletion and insertion curves, and
the decision flip.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from attention_explain.errors import InputError
from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity
from attention_explain.model_outputs import IDENTITY, SOFTMAX
from attention_explain.named_components import check_choice
from attention_explain.passes import share_size

# By size, all evaluated token sets of that size: the top tokens, Shape: (sets, tokens), and the
# model's probabilities, Shape: (sets, labels).
SearchResult = dict[int, "SetOutputs"]


@dataclass
class SetOutputs:
    """Token sets of one size, with the model's probabilities."""

    first: numpy.ndarray
    probs: numpy.ndarray


@dataclass(frozen=True)
class MeasuredText:
    """
    What a measure needs to know about a text apart from the token sets.

    tokens : the number of tokens.
    target : the class that the scores explain.
    full, empty : the model's probabilities with all tokens and with none. Shape: (labels,)
    head : what the probabilities are (`models.requirements.HEADS`).
    """

    tokens: int
    target: int
    full: numpy.ndarray
    empty: numpy.ndarray
    head: str = SOFTMAX

    def decides(self, probs: numpy.ndarray) -> numpy.ndarray:
        """
        Where the model decides for the target: by the largest probability; for a label with a
        probability of its own, from one half. Shape: (..., labels) -> (...)
        """
        if self.head == SOFTMAX:
            return probs.argmax(axis=-1) == self.target
        return (probs[..., self.target] >= 0.5) & (self.head != IDENTITY)


class RankingMeasure(Faithfulness):
    """
    keeps : whether only the top tokens are kept; otherwise they are removed.
    """

    in_order = True
    erasures = True
    keeps: bool

    def sizes(self, tokens: int) -> list[int]:
        """The set sizes at which a text of `tokens` tokens is evaluated, in ascending order."""
        raise NotImplementedError

    def quantities(self, tokens: int) -> list[Quantity]:
        """The quantities reported for a text of `tokens` tokens: by default one per form."""
        return [Quantity(name, higher) for name, higher in self.forms().items()]

    def values(self, probs: numpy.ndarray, text: MeasuredText) -> numpy.ndarray:
        """
        The quantities of any number of rankings, from the probabilities at the measure's sizes; NaN
        if undefined. Shape: (rankings, sizes, labels) -> (rankings, quantities)
        """
        raise NotImplementedError

    def best(self, found: SearchResult, text: MeasuredText) -> numpy.ndarray:
        """The best quantities of any ranking made of evaluated sets. Shape: (quantities,)"""
        raise NotImplementedError

    def why_undefined(self, text: MeasuredText) -> str:
        """The reason why a quantity is NaN."""
        raise NotImplementedError

    def curve(self, probs: numpy.ndarray, text: MeasuredText) -> list[float] | None:
        """The curve of one ranking, for figures. Shape: (sizes, labels)"""
        return None


class AdditiveMeasure(RankingMeasure):
    """
    A measure whose quantities are weighted sums of one term per set size. A subclass implements
    `terms` and `weights`.
    """

    def terms(self, probs: numpy.ndarray, text: MeasuredText) -> list[numpy.ndarray]:
        """The terms of the sum, one array per form. Shape: (..., labels) -> (...,)"""
        raise NotImplementedError

    def weights(self, tokens: int) -> list[numpy.ndarray]:
        """
        The weights of the sizes, for each quantity of one form. The quantities of all forms follow
        each other in this order. Shape: (sizes,)
        """
        raise NotImplementedError

    def values(self, probs: numpy.ndarray, text: MeasuredText) -> numpy.ndarray:
        weights = self.weights(text.tokens)
        return numpy.stack(
            [term @ weight for term in self.terms(probs, text) for weight in weights], axis=-1
        )

    def best(self, found: SearchResult, text: MeasuredText) -> numpy.ndarray:
        sizes = self.sizes(text.tokens)
        terms = [self.terms(found[size].probs, text) for size in sizes]
        quantities = self.quantities(text.tokens)
        weights = self.weights(text.tokens)
        best = []
        for index, quantity in enumerate(quantities):
            form, which = divmod(index, len(weights))
            sign = 1.0 if quantity.higher_is_better else -1.0
            counting = numpy.flatnonzero(weights[which])
            gains = [sign * weights[which][size] * terms[size][form] for size in counting]
            sets: Sequence[numpy.ndarray] = [found[sizes[size]].first for size in counting]
            best.append(sign * best_chain(sets, gains))
        return numpy.array(best)


def best_chain(sets: Sequence[numpy.ndarray], gains: Sequence[numpy.ndarray]) -> float:
    """
    The best ranking that can be made of token sets: the largest sum of gains over a chain of nested
    sets, one of each size, by dynamic programming over the sizes. There must be at least one chain.
    NaN if any gain is.

    # Parameters

    sets : `Sequence[numpy.ndarray]`
        One array per size, in ascending order. Shape: (sets, tokens), bool
    gains : `Sequence[numpy.ndarray]`
        Shape: (sets,) each
    """
    total = gains[0]
    for smaller, larger, gain in zip(sets, sets[1:], gains[1:]):
        # A set is a subset of another if none of its tokens is outside; the float sum is exact.
        # Shape: (smaller sets, larger sets)
        outside = smaller.astype(numpy.float32) @ (~larger).astype(numpy.float32).T
        before = numpy.where(outside == 0, total[:, None], -numpy.inf).max(axis=0)
        total = before + gain
    return float(total.max())


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


ORDERS = ("falling", "rising")
POINTS = 50


class CurveMeasure(AdditiveMeasure):
    """
    # Parameters

    deletes : `bool`
        Whether tokens are removed one by one, or added.
    order : `str`
        `falling`: the most important first. `rising`: the least important first.
    points : `int`
        The number of equal steps in a text of more tokens.
    """

    def __init__(self, deletes: bool, order: str, points: int) -> None:
        check_choice("order", order, ORDERS)
        self.order = order
        self.points = _checked_points(points)
        # Removing the least important tokens is keeping the most important: the same sets.
        self.keeps = self.higher_is_better = deletes == (order == "rising")
        self._backwards = order == "rising"

    def sizes(self, tokens: int) -> list[int]:
        return [0, *grid(tokens, self.points)]

    def weights(self, tokens: int) -> list[numpy.ndarray]:
        # The trapezoid rule, over the fraction of tokens.
        shares = numpy.array(self.sizes(tokens)) / tokens
        halves = numpy.diff(shares) / 2
        return [numpy.append(halves, 0.0) + numpy.append(0.0, halves)]

    def terms(self, probs: numpy.ndarray, text: MeasuredText) -> list[numpy.ndarray]:
        return [probs[..., text.target]]

    def curve(self, probs: numpy.ndarray, text: MeasuredText) -> list[float]:
        heights = probs[:, text.target].tolist()
        return heights[::-1] if self._backwards else heights


def _checked_points(points: int) -> int:
    if points < 1:
        raise InputError(f"points is {points}, but must be 1 or more")
    return points


def grid(tokens: int, points: int) -> list[int]:
    """1, 2, ... all tokens; in a text of more than `points` tokens, `points` of these, evenly spread."""
    steps = min(tokens, points)
    return [-(-step * tokens // steps) for step in range(1, steps + 1)]


@Faithfulness.register("deletion_curve")
class DeletionCurve(CurveMeasure):
    """
    The area under p(c|x without the first i of the order) over i / n, i = 0, 1, ... n, by the
    trapezoid rule (Samek et al. 2017, Petsiuk et al. 2018): lower is better. The curve is stored.

    In rising order the least important tokens are removed first, and higher is better: the same area
    as that of the insertion curve in falling order, and the same curve reversed.

    Registered as a `Faithfulness` with name "deletion_curve".

    # Parameters

    order : `str`, optional (default = `"falling"`)
        `falling`: the most important token is removed first. `rising`: the least important.
    points : `int`, optional (default = `50`)
        The number of equal steps in a text of more tokens; the curve has one more point.
    """

    name = "deletion_curve"
    equation = "area under p(c|x without the first i) over i/n"

    def __init__(self, order: str = "falling", points: int = POINTS) -> None:
        super().__init__(True, order, points)


@Faithfulness.register("insertion_curve")
class InsertionCurve(CurveMeasure):
    """
    The area under p(c|the first i of the order alone) over i / n, i = 0, 1, ... n, by the trapezoid
    rule (Petsiuk et al. 2018): higher is better. The curve is stored.

    In rising order the least important tokens are added first, and lower is better: the same area as
    that of the deletion curve in falling order, and the same curve reversed.

    Registered as a `Faithfulness` with name "insertion_curve".

    # Parameters

    order : `str`, optional (default = `"falling"`)
        `falling`: the most important token is added first. `rising`: the least important.
    points : `int`, optional (default = `50`)
        The number of equal steps in a text of more tokens; the curve has one more point.
    """

    name = "insertion_curve"
    equation = "area under p(c|the first i alone) over i/n"

    def __init__(self, order: str = "falling", points: int = POINTS) -> None:
        super().__init__(False, order, points)


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

    name = "decision_flip"
    higher_is_better = False
    equation = "min i/n with argmax p(x without the first i) other than argmax p(x)"
    keeps = False

    def __init__(self, points: int = POINTS) -> None:
        self.points = _checked_points(points)

    def forms(self) -> dict[str, bool]:
        return {self.name: False, f"{self.name}_first": True, f"{self.name}_never": False}

    def sizes(self, tokens: int) -> list[int]:
        return sorted({1, *grid(tokens, self.points)})

    def values(self, probs: numpy.ndarray, text: MeasuredText) -> numpy.ndarray:
        if not _is_decision(text):
            return numpy.full((len(probs), 3), numpy.nan)
        shares = numpy.array(self.sizes(text.tokens)) / text.tokens
        # Shape: (rankings, sizes)
        flips = ~text.decides(probs)
        never = ~flips.any(axis=1)
        share = numpy.where(never, 1.0, shares[flips.argmax(axis=1)])
        return numpy.stack([share, flips[:, 0], never], axis=-1).astype(numpy.float64)

    def best(self, found: SearchResult, text: MeasuredText) -> numpy.ndarray:
        if not _is_decision(text):
            return numpy.full(3, numpy.nan)
        flips = {
            size: bool((~text.decides(found[size].probs)).any()) for size in self.sizes(text.tokens)
        }
        smallest = min((size for size in flips if flips[size]), default=None)
        share = 1.0 if smallest is None else smallest / text.tokens
        return numpy.array([share, flips[1], smallest is None], dtype=numpy.float64)

    def why_undefined(self, text: MeasuredText) -> str:
        if text.head == IDENTITY:
            return "the model gives a number and makes no decision"
        return "the explained class is not the predicted one"


def _is_decision(text: MeasuredText) -> bool:
    return bool(text.decides(text.full))
