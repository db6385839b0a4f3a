"""
Where each method stands between random orders (0) and the best order of words (1): the mean of its
places by comprehensiveness and sufficiency, over the ways to erase words.
"""

from dataclasses import dataclass
from typing import Dict, List, Sequence

import numpy

from analysis.errors import AnalysisError
from analysis.faithfulness.files import RANDOM, SEARCH
from analysis.faithfulness.scale import Measured
from analysis.statistics.samples import placed
from analysis.verdict.files import ATTENTION, Files
from analysis.verdict.means import Mean

MEASURES = ("comprehensiveness", "sufficiency")
# Of probabilities in single precision.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Places:
    """
    by_erasure : by erasure and method, numbers whose mean is the place, each away from it by what the
        text adds to its error, so that means of several and differences have intervals, too.
        Shape: (seeds, texts)
    gained : by method, what it has over random orders, of both measures under all erasures, in
        probability. Shape: (seeds, texts)
    """

    by_erasure: Dict[str, Dict[str, numpy.ndarray]]
    gained: Dict[str, numpy.ndarray]

    @property
    def erasures(self) -> List[str]:
        return list(self.by_erasure)

    @property
    def methods(self) -> List[str]:
        """The best first."""
        return sorted(self.gained, key=lambda method: -self.place(method).estimate.mean)

    def values(self, method: str) -> numpy.ndarray:
        """Over all erasures. Shape: (seeds, texts)"""
        return numpy.mean([places[method] for places in self.by_erasure.values()], axis=0)

    def place(self, method: str) -> Mean:
        """Over all erasures."""
        return Mean.of(self.values(method))

    def places(self, method: str) -> Dict[str, Mean]:
        """Under each."""
        return {erasure: Mean.of(each[method]) for erasure, each in self.by_erasure.items()}

    def less(self, first: str, second: str) -> Mean:
        """How much further the first comes, on the same texts."""
        return Mean.of(self.values(first) - self.values(second))


def places_of(files: Files) -> Places:
    """Only of methods that have a place everywhere."""
    scales = [
        each
        for each in files.measured
        if each.measure.name in MEASURES and each.measure.k is None and each.has_scale
    ]
    if not scales:
        raise AnalysisError(
            f"{files.judged.files[0].path}: has neither {' nor '.join(MEASURES)} with both ends of the scale"
        )
    scales = _each_erasure_once(scales)
    methods = [
        method for method in scales[0].methods if all(method in each.methods for each in scales)
    ]
    by_erasure: Dict[str, Dict[str, List[numpy.ndarray]]] = {}
    gained: Dict[str, List[numpy.ndarray]] = {}
    for each in scales:
        chance, best = each.values[RANDOM], each.values[SEARCH]
        toward = 1.0 if each.higher_is_better else -1.0
        of_erasure = by_erasure.setdefault(each.measure.erasure, {})
        for method in methods:
            value = each.values[method]
            of_erasure.setdefault(method, []).append(placed(value, chance, best))
            gained.setdefault(method, []).append(toward * (value - chance))
    known = [m for m in methods if not all(numpy.isnan(each).all() for each in gained[m])]
    if ATTENTION not in known:
        raise AnalysisError(
            f"{files.judged.files[0].path}: '{ATTENTION}' has no place between both ends in any text"
        )
    return Places(
        {
            erasure: {method: numpy.mean(each[method], axis=0) for method in known}
            for erasure, each in by_erasure.items()
        },
        {method: numpy.mean(gained[method], axis=0) for method in known},
    )


def _each_erasure_once(scales: Sequence[Measured]) -> List[Measured]:
    """
    Of erasures that come to the same the first: where the unknown word's vector is 0, `unk` and `zero` would
    count twice, and agree however wrong they are.
    """
    by_erasure: Dict[str, List[Measured]] = {}
    for each in scales:
        by_erasure.setdefault(each.measure.erasure, []).append(each)
    kept: List[List[Measured]] = []
    for of_erasure in by_erasure.values():
        if not any(_same(of_erasure, other) for other in kept):
            kept.append(of_erasure)
    return [each for of_erasure in kept for each in of_erasure]


def _same(first: Sequence[Measured], second: Sequence[Measured]) -> bool:
    """Whether all that was measured with every method is, up to rounding."""
    return len(first) == len(second) and all(
        one.measure.name == other.measure.name
        and one.values.keys() == other.values.keys()
        and all(
            numpy.allclose(one.values[method], other.values[method], atol=ROUNDING, equal_nan=True)
            for method in one.values
        )
        for one, other in zip(first, second, strict=True)
    )
