"""
Measures of a ranking of tokens: the model's output when the top tokens are removed, or when only they
are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity

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
    """

    tokens: int
    target: int
    full: numpy.ndarray
    empty: numpy.ndarray


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
