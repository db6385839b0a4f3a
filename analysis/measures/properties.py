"""What one column of scores is like by itself, text by text."""

from typing import ClassVar

import numpy
from scipy.special import entr

from analysis.measures.distributions import as_distribution
from analysis.measures.measure import Named, Values, unusable
from analysis.measures.scores import Scores


class Property(Named):
    """A number for each text from its scores, found by name as a `Measure` is."""

    kind = "property"
    # Texts with fewer tokens are undefined.
    least_tokens: ClassVar[int] = 1

    _registry: ClassVar[dict[str, type["Property"]]] = {}

    def __call__(self, scores: Scores) -> Values:
        """A value for each text, in order; without finite scores, or too short, it has none."""
        undefined = unusable([scores], self.least_tokens)
        return self.all(scores.only(undefined == "")).among(undefined)

    def all(self, scores: Scores) -> Values:
        """Every text has finite scores and `least_tokens` tokens here."""
        raise NotImplementedError


@Property.register("entropy")
class Entropy(Property):
    """Of the scores over their sum, divided by log n: 1 if uniform, 0 if one token has it all."""

    least_tokens = 2

    def all(self, scores: Scores) -> Values:
        p, reasons = as_distribution(scores)
        return Values.but_where(reasons, scores.sums(entr(p)) / numpy.log(scores.lengths))


@Property.register("gini")
class Gini(Property):
    """Mean absolute difference of two tokens over twice the mean, of non-negative scores."""

    def all(self, scores: Scores) -> Values:
        p, reasons = as_distribution(scores)
        # Tokens with a lower score minus tokens with a higher one.
        standing = scores.ranks - scores.higher
        return Values.but_where(reasons, scores.sums(standing * p) / scores.lengths)


@Property.register("non-zeros")
class NonZeros(Property):
    """The number of tokens whose score is not 0."""

    def all(self, scores: Scores) -> Values:
        return Values.everywhere(scores.sums(scores.values != 0).astype(float))


@Property.register("max")
class Max(Property):
    """The highest score."""

    def all(self, scores: Scores) -> Values:
        return Values.everywhere(scores.largest(scores.values))
