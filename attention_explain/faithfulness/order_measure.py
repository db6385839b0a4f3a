"""
Measures of an order of tokens: the model's output as the first of the order are taken out, or as
they alone are kept.
"""

from dataclasses import dataclass
from typing import Dict, List, Optional, Sequence

import numpy

from attention_explain.faithfulness.chains import best_chain
from attention_explain.faithfulness.faithfulness import Faithfulness, Quantity

# A size of the sets, and all sets of that size that were run: which tokens are the first of the
# order, Shape: (sets, tokens), and what the model says of them, Shape: (sets, labels).
Found = Dict[int, "FoundSets"]


@dataclass
class FoundSets:
    """Sets of tokens of one size, with the probabilities that the model returns for them."""

    first: numpy.ndarray
    probs: numpy.ndarray


@dataclass(frozen=True)
class ErasedText:
    """
    What a measure must know of a text beside the sets.

    tokens : how many.
    target : the class that the scores explain.
    whole, empty : the model's probabilities with all tokens and with none. Shape: (labels,)
    """

    tokens: int
    target: int
    whole: numpy.ndarray
    empty: numpy.ndarray


class OrderMeasure(Faithfulness):
    """
    keeps : whether the first of the order are kept alone; else they are taken out.
    """

    in_order = True
    erasures = True
    keeps: bool

    def sizes(self, tokens: int) -> List[int]:
        """How many tokens of the order are taken together, for a text of so many; rising."""
        raise NotImplementedError

    def quantities(self, tokens: int) -> List[Quantity]:
        """What the measure reports for a text with this number of tokens."""
        raise NotImplementedError

    def values(self, probs: numpy.ndarray, text: ErasedText) -> numpy.ndarray:
        """
        The quantities of any number of orders, from the probabilities at the measure's sizes; NaN
        where one is undefined. Shape: (orders, sizes, labels) -> (orders, quantities)
        """
        raise NotImplementedError

    def best(self, found: Found, text: ErasedText) -> numpy.ndarray:
        """The best quantities that any order of sets that were run would have. Shape: (quantities,)"""
        raise NotImplementedError

    def why_undefined(self, text: ErasedText) -> str:
        """Of a quantity that is NaN."""
        raise NotImplementedError

    def curve(self, probs: numpy.ndarray, text: ErasedText) -> Optional[List[float]]:
        """To be kept for figures, of one order. Shape: (sizes, labels)"""
        return None


class AdditiveMeasure(OrderMeasure):
    """
    A measure whose quantities are weighted sums over the sizes of something about each set. A subclass
    implements `terms` and `weights`.
    """

    def terms(self, probs: numpy.ndarray, text: ErasedText) -> List[numpy.ndarray]:
        """What is summed, one array a form. Shape: (..., labels) -> (...,)"""
        raise NotImplementedError

    def weights(self, tokens: int) -> List[numpy.ndarray]:
        """
        Of each quantity of one form, the weights of the sizes; the quantities of all forms are in that
        order, form by form. Shape: (sizes,)
        """
        raise NotImplementedError

    def values(self, probs: numpy.ndarray, text: ErasedText) -> numpy.ndarray:
        weights = self.weights(text.tokens)
        return numpy.stack(
            [term @ weight for term in self.terms(probs, text) for weight in weights], axis=-1
        )

    def best(self, found: Found, text: ErasedText) -> numpy.ndarray:
        sizes = self.sizes(text.tokens)
        terms = [self.terms(found[size].probs, text) for size in sizes]
        quantities = self.quantities(text.tokens)
        weights = self.weights(text.tokens)
        best = []
        for place, quantity in enumerate(quantities):
            form, which = divmod(place, len(weights))
            sign = 1.0 if quantity.higher_is_better else -1.0
            counting = numpy.flatnonzero(weights[which])
            gains = [sign * weights[which][size] * terms[size][form] for size in counting]
            sets: Sequence[numpy.ndarray] = [found[sizes[size]].first for size in counting]
            best.append(sign * best_chain(sets, gains))
        return numpy.array(best)
