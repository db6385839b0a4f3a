"""
Faithfulness scores of methods: 0 for random orders of the words, 1 for the best order. Methods are ranked by
`relevance`; files that were made before it was measured, by the mean of comprehensiveness and sufficiency.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured
from analysis.statistics.samples import rescale
from analysis.verdict.decision import BOUNDS, RelevanceValues
from analysis.verdict.inputs import ATTENTION, VerdictInputs
from analysis.verdict.means import Mean
from attention_explain.files.faithfulness import RANDOM, RELEVANCE, SEARCH

COMPREHENSIVENESS, SUFFICIENCY = "comprehensiveness", "sufficiency"
# Of the first edition, which did not measure relevance.
EARLIER_MEASURES = (COMPREHENSIVENESS, SUFFICIENCY)
# Of probabilities in single precision.
ROUNDING = 1e-6


@dataclass(frozen=True)
class FaithfulnessScores:
    """
    by_removal : by removal method and method, numbers whose mean is the score. Each differs from it by
        what the text contributes to the error, so that means and differences have intervals, too.
        Shape: (seeds, texts)
    gains : by method, the mean difference from random orders, in probability. Shape: (seeds, texts)
    relevance : the values of `relevance` by removal method; empty if it was not measured.
    """

    by_removal: dict[str, dict[str, numpy.ndarray]]
    gains: dict[str, numpy.ndarray]
    relevance: dict[str, RelevanceValues] = field(default_factory=dict)

    @property
    def removal_methods(self) -> list[str]:
        return list(self.by_removal)

    @property
    def methods(self) -> list[str]:
        """The best first."""
        return sorted(self.gains, key=lambda method: -self.score(method).estimate.mean)

    def values(self, method: str) -> numpy.ndarray:
        """The mean over removal methods. Shape: (seeds, texts)"""
        if self.relevance:
            # The ratio of the pooled means, as the decision has it.
            several = list(self.relevance.values())
            above = numpy.mean([each.above(method) for each in several], axis=0)
            room = numpy.mean([each.room for each in several], axis=0)
            return rescale(above, numpy.zeros_like(above), room)
        return numpy.mean([values[method] for values in self.by_removal.values()], axis=0)

    def score(self, method: str) -> Mean:
        """The score of a method: the mean over removal methods."""
        return Mean.of(self.values(method))

    def by_removal_method(self, method: str) -> dict[str, Mean]:
        """The scores of a method for each removal method."""
        return {removal: Mean.of(each[method]) for removal, each in self.by_removal.items()}

    def difference(self, first: str, second: str) -> Mean:
        """How much higher the first method scores, on the same texts."""
        return Mean.of(self.values(first) - self.values(second))


def score_methods(inputs: VerdictInputs) -> FaithfulnessScores:
    """Scores of the methods that have one for every removal method."""
    scales = _reliable(inputs, scales_of(inputs, RELEVANCE))
    scales = scales or scales_of(inputs, *EARLIER_MEASURES)
    if not scales:
        raise AnalysisError(
            f"{inputs.judged.files[0].path}: has no '{RELEVANCE}' with '{RANDOM}' and '{SEARCH}' for scale. "
            "`allennlp faithfulness` measures it."
        )
    methods = [
        method for method in scales[0].methods if all(method in each.methods for each in scales)
    ]
    by_removal: dict[str, dict[str, list[numpy.ndarray]]] = {}
    gains: dict[str, list[numpy.ndarray]] = {}
    for each in scales:
        chance, best = each.values[RANDOM], each.values[SEARCH]
        sign = 1.0 if each.higher_is_better else -1.0
        of_removal = by_removal.setdefault(each.measure.removal, {})
        for method in methods:
            value = each.values[method]
            of_removal.setdefault(method, []).append(rescale(value, chance, best))
            gains.setdefault(method, []).append(sign * (value - chance))
    known = [m for m in methods if not all(numpy.isnan(each).all() for each in gains[m])]
    if ATTENTION not in known:
        path = inputs.judged.files[0].path
        raise AnalysisError(f"{path}: '{ATTENTION}' has no score in any text")
    relevance = {
        each.measure.removal: RelevanceValues(
            each.values[RANDOM],
            each.values[SEARCH],
            {method: each.values[method] for method in known},
        )
        for each in scales
        if each.measure.name == RELEVANCE
    }
    return FaithfulnessScores(
        {
            removal: {method: numpy.mean(each[method], axis=0) for method in known}
            for removal, each in by_removal.items()
        },
        {method: numpy.mean(gains[method], axis=0) for method in known},
        relevance,
    )


def scales_of(inputs: VerdictInputs, *names: str) -> list[Measured]:
    """The measures with these names that have both ends of the scale, each removal method once."""
    return _without_duplicates(
        [
            each
            for each in inputs.measured
            if each.measure.name in names and each.measure.k is None and each.has_scale
        ]
    )


def _reliable(inputs: VerdictInputs, scales: list[Measured]) -> list[Measured]:
    """Without the removal methods for which relevance is not reliable, unless that leaves none."""
    kept = [
        each
        for each in scales
        if inputs.reliability.get(each.measure.removal, 1.0) >= BOUNDS.reliability
    ]
    return kept or scales


def _without_duplicates(scales: Sequence[Measured]) -> list[Measured]:
    """
    Keep the first of removal methods that give the same values: if the vector of the unknown word is 0,
    `unk` and `zero` would count twice, and agree however wrong they are.
    """
    by_removal: dict[str, list[Measured]] = {}
    for each in scales:
        by_removal.setdefault(each.measure.removal, []).append(each)
    kept: list[list[Measured]] = []
    for of_removal in by_removal.values():
        if not any(_same(of_removal, other) for other in kept):
            kept.append(of_removal)
    return [each for of_removal in kept for each in of_removal]


def _same(first: Sequence[Measured], second: Sequence[Measured]) -> bool:
    """Whether all values of all methods are equal, up to rounding."""
    return len(first) == len(second) and all(
        one.measure.name == other.measure.name
        and one.values.keys() == other.values.keys()
        and all(
            numpy.allclose(one.values[method], other.values[method], atol=ROUNDING, equal_nan=True)
            for method in one.values
        )
        for one, other in zip(first, second, strict=True)
    )
