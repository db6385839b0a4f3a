"""
Measures that compare scores with the effects of words averaged over permutations: whether the top words are
those that move the output (relevance), and whether signs say which way (direction).
"""

from collections.abc import Sequence

import numpy

from attention_explain.faithfulness.faithfulness import (
    Detailed,
    Faithfulness,
    MeasureInputs,
    ScoreMeasure,
    Undefined,
    Value,
    Values,
)
from attention_explain.faithfulness.permutations import AUTO, SamplingOptions, WordEffects
from attention_explain.faithfulness.ranking_measure import bin_sizes, check_bins
from attention_explain.files.faithfulness import RANDOM, SEARCH

NO_EFFECT = Undefined("removing words never changes the output")
NO_SIGN = Undefined("gives no direction")


class EffectsMeasure(ScoreMeasure):
    """A measure of the effects of words averaged over permutations. Parameters: see `SamplingOptions`."""

    erasures = True
    higher_is_better = True

    def __init__(
        self,
        permutations: int | None,
        output: str,
        reliability: float,
        most: int,
        pilot: int,
        seed: int,
    ) -> None:
        self.sampling = SamplingOptions(permutations, output, reliability, most, pilot, seed)
        self.permutations = permutations
        self.output = output
        self.reliability = reliability
        self.most = most
        self.pilot = pilot
        self.seed = seed

    def measure(self, inputs: MeasureInputs) -> list[Values]:
        effects = inputs.word_effects(self.sampling)
        signed = {
            method: inputs.methods.declared.get(method, {}).get("signed", True)
            for text in inputs.texts
            for method in text.scores
        }
        return [
            self.of_text(text.scores, of_text, signed)
            for text, of_text in zip(inputs.texts, effects, strict=True)
        ]

    def of_text(
        self,
        scores: dict[str, numpy.ndarray],
        effects: WordEffects,
        signed: dict[str, bool],
    ) -> Values:
        """The values of each method, `random` and `search` among them."""
        raise NotImplementedError


@Faithfulness.register("relevance")
class RelevanceMeasure(EffectsMeasure):
    """
    Whether the top tokens are those that move the output, in whichever direction: higher is better. The
    relevance of token i is m_i = E[distance(p(S + i), p(S))], where S are the tokens before i in a random
    permutation, all others are removed, and the distance is total variation, or the mean absolute
    difference of centred logits. The value of a ranking is the sum of m over its top k tokens, as the mean
    over the bins k. Tokens are ranked by magnitude |score|; tied tokens by the expected value.

    `random` is the exact expectation, `search` the ranking by m itself, with m in its curve.

    Registered as a `Faithfulness` with name "relevance".

    # Parameters

    bins : `List[float]`, optional (default = `[.01, .05, .1, .2, .5]`)
        Fractions of the tokens.
    permutations : `int`, optional
        Number of permutations per text (default: doubled on pilot texts until m is reliable).
    output : `str`, optional (default = `"auto"`)
        `probability`, `logits` or `auto`: the one that is reliable with fewer permutations.
    reliability : `float`, optional (default = `0.9`)
        The mean split-half reliability of m to reach on the pilot texts.
    most : `int`, optional (default = `128`)
        The largest number of permutations. If m is not reliable with it, the metadata say so.
    pilot : `int`, optional (default = `20`)
        The number of pilot texts.
    seed : `int`, optional (default = `0`)
        Determines permutations and pilot texts, together with the texts' ids.
    """

    name = "relevance"
    equation = "sum of m over the top k by |score|, m_i = E distance(p(S + i), p(S))"

    def __init__(
        self,
        bins: list[float] | None = None,
        permutations: int | None = None,
        output: str = AUTO,
        reliability: float = 0.9,
        most: int = 128,
        pilot: int = 20,
        seed: int = 0,
    ) -> None:
        super().__init__(permutations, output, reliability, most, pilot, seed)
        self.bins = check_bins(bins)

    def of_text(
        self,
        scores: dict[str, numpy.ndarray],
        effects: WordEffects,
        signed: dict[str, bool],
    ) -> Values:
        relevance = effects.relevance
        sizes = bin_sizes(self.bins, len(relevance))

        def value(importance: numpy.ndarray) -> Value:
            if not relevance.any():
                return NO_EFFECT
            return sum_of_top(importance, relevance, sizes)

        best = Detailed(value(relevance), relevance, effects.relevance_error, effects.reliability)
        return {
            **{method: {self.name: value(numpy.abs(each))} for method, each in scores.items()},
            RANDOM: {self.name: value(numpy.zeros(len(relevance)))},
            SEARCH: {self.name: best},
        }


def sum_of_top(importance: numpy.ndarray, values: numpy.ndarray, sizes: Sequence[int]) -> float:
    """
    The sum of the values of the `k` most important tokens, as the mean over the sizes k. Tokens of equal
    importance are in any order with equal probability: their expected value. Shape: (tokens,) each
    """
    _, group = numpy.unique(-importance, return_inverse=True)
    mean = numpy.bincount(group, values) / numpy.bincount(group)
    total = numpy.cumsum(mean[numpy.sort(group)])
    return float(numpy.mean([total[size - 1] for size in sizes]))


@Faithfulness.register("direction")
class DirectionMeasure(EffectsMeasure):
    """
    Whether the sign of a score says which way its token moves the output: higher is better. The
    contribution of token i is its Shapley value phi_i = E[p(c|S + i) - p(c|S)], where S are the tokens
    before i in a random permutation (or the same for the centred logit of c). The value is the share of
    tokens with sign(score) = sign(phi), weighted by the relevance m; a score of 0 counts one half.

    `random` is a coin, 0.5; `search` is 1, with phi in its curve. Methods without sign are undefined.

    Registered as a `Faithfulness` with name "direction".

    # Parameters

    permutations : `int`, optional
        Number of permutations per text (default: doubled on pilot texts until m is reliable).
    output : `str`, optional (default = `"auto"`)
        `probability`, `logits` or `auto`: the one that is reliable with fewer permutations.
    reliability : `float`, optional (default = `0.9`)
        The mean split-half reliability of m to reach on the pilot texts.
    most : `int`, optional (default = `128`)
        The largest number of permutations. If m is not reliable with it, the metadata say so.
    pilot : `int`, optional (default = `20`)
        The number of pilot texts.
    seed : `int`, optional (default = `0`)
        Determines permutations and pilot texts, together with the texts' ids.
    """

    name = "direction"
    equation = "share of tokens with sign(score) = sign(phi), weighted by m, phi the Shapley value"

    def __init__(
        self,
        permutations: int | None = None,
        output: str = AUTO,
        reliability: float = 0.9,
        most: int = 128,
        pilot: int = 20,
        seed: int = 0,
    ) -> None:
        super().__init__(permutations, output, reliability, most, pilot, seed)

    def of_text(
        self,
        scores: dict[str, numpy.ndarray],
        effects: WordEffects,
        signed: dict[str, bool],
    ) -> Values:
        def value(signs: numpy.ndarray) -> Value:
            total = effects.relevance.sum()
            if not total > 0:
                return NO_EFFECT
            agreement = (1 + numpy.sign(signs) * numpy.sign(effects.contribution)) / 2
            return float(effects.relevance @ agreement / total)

        best = value(effects.contribution)
        if not isinstance(best, Undefined):
            best = 1.0
        none = numpy.zeros(len(effects.relevance))
        return {
            **{
                method: {self.name: value(each) if signed[method] else NO_SIGN}
                for method, each in scores.items()
            },
            RANDOM: {self.name: value(none)},
            SEARCH: {
                self.name: Detailed(
                    best, effects.contribution, effects.contribution_error, effects.reliability
                )
            },
        }
