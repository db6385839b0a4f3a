"""
Those who have marked texts, kept apart: a method is compared with each of them, and they against each
other. What they have in common is no marking of anybody.
"""

from collections.abc import Callable, Sequence

import numpy

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores
from analysis.plausibility.measures import Marked, PlausibilityMeasure
from analysis.statistics.intervals import mean_of_known
from analysis.statistics.samples import text_keys
from analysis.text_files import Attributions
from attention_explain.files.attributions import RATIONALE, Rationale, markings

# One number per text, of scores and what is marked, both of the texts that have them.
OfMarked = Callable[[Scores, Marked], numpy.ndarray]


class Annotators:
    """
    Of the texts of a file.

    columns : the first annotator of each text, the second, ...; a marking without a marked token is
        left out. Who is first in one text need not be first in another.
    """

    def __init__(self, file: Attributions) -> None:
        if RATIONALE not in file.table or not any(map(markings, file.table[RATIONALE])):
            raise AnalysisError(
                f"{file.path}: its texts have no rationale, so nobody has said what decides them"
            )
        self.path = file.path
        self.ids = file.table["id"]
        marked = [_with_a_mark(rationale) for rationale in file.table[RATIONALE]]
        positions = range(max(map(len, marked)))
        self.columns = [
            Scores.of(_marking(one, position) for one in marked) for position in positions
        ]
        self._others = [
            Scores.of(_share_of_others(one, position) for one in marked) for position in positions
        ]
        if not self.columns:
            raise AnalysisError(f"{file.path}: no rationale marks a token")
        self._keys = text_keys(self.ids)

    @property
    def numbers(self) -> numpy.ndarray:
        """How many have marked each text. Shape: (texts,)"""
        return numpy.sum([column.known for column in self.columns], axis=0)

    def mean(self, scores: Scores, measured: OfMarked) -> numpy.ndarray:
        """The mean over the annotators of a text; NaN without a value. Shape: (texts,)"""
        return mean_of_known(
            numpy.array([self._values(scores, column, measured) for column in self.columns]), 0
        )

    def of_each_other(self, measure: PlausibilityMeasure) -> numpy.ndarray:
        """
        What the measure gives one annotator as a method for another: the mean over all two of a
        text; NaN where there is but one. A guess of theirs has as many tokens as they have marked.
        Shape: (texts,)
        """
        values = [
            self._values(one, other, lambda s, m: measure.values(s, m, k=s.sums(s.values)))
            for one in self.columns
            for other in self.columns
            if one is not other
        ]
        if not values:
            return numpy.full(len(self.ids), numpy.nan)
        return mean_of_known(numpy.array(values), 0)

    def of_the_others(self, measure: PlausibilityMeasure) -> numpy.ndarray:
        """
        What the measure gives all others together for each annotator, by the share of them who
        marked a token; NaN where there is but one. Shape: (texts,)
        """
        values = [
            self._values(others, column, measure.values)
            for others, column in zip(self._others, self.columns, strict=True)
        ]
        return mean_of_known(numpy.array(values), 0)

    def _values(self, scores: Scores, column: Scores, measured: OfMarked) -> numpy.ndarray:
        both = scores.known & column.known
        unlike = both & (scores.lengths != column.lengths)
        if unlike.any():
            raise AnalysisError(
                f"{self.path}: the rationale of text '{self.ids.iloc[int(unlike.argmax())]}' is "
                "not as long as its scores"
            )
        both &= scores.finite
        values = numpy.full(len(both), numpy.nan)
        if both.any():
            marked = Marked(column.only(both).values, self._keys[both])
            values[both] = measured(scores.only(both), marked)
        return values


def _marking(of_a_text: list[Sequence[float]], position: int) -> Sequence[float] | None:
    return of_a_text[position] if position < len(of_a_text) else None


def _share_of_others(of_a_text: list[Sequence[float]], position: int) -> numpy.ndarray | None:
    others = [*of_a_text[:position], *of_a_text[position + 1 :]]
    return numpy.mean(others, axis=0) if others and position < len(of_a_text) else None


def _with_a_mark(rationale: Rationale | None) -> list[Sequence[float]]:
    return [marking for marking in markings(rationale) if numpy.any(marking)]
