"""Which texts the report shows: typical ones, and those on which attention stands most alone."""

from dataclasses import dataclass
from typing import List, Tuple

import numpy

from analysis.agreement.pairs import BY_SIZE, Pair
from analysis.agreement.pairs import compared as compared_by
from analysis.attributions import Attributions
from analysis.measures.kendall import Kendall

REFERENCE = "attention"
CONTROL = "random"

TYPICAL, DISPUTED, AGREED = "typical", "disputed", "agreed"
# How many texts of each kind, in the order in which they are taken.
NUMBERS = {TYPICAL: 2, DISPUTED: 2, AGREED: 1}


@dataclass(frozen=True)
class Chosen:
    """
    row : of the table of attributions.
    agreement : of the reference with the other methods, on average.
    kind : why the text was chosen.
    """

    row: int
    agreement: float
    kind: str


def compared(attributions: Attributions) -> Tuple[str, List[str]]:
    """The method that is in question (attention, where there is any) and those it is held against."""
    methods = attributions.methods
    reference = REFERENCE if REFERENCE in methods else methods[0]
    others = [name for name in methods if name != reference and not _is_control(attributions, name)]
    return reference, others


def agreements(attributions: Attributions) -> numpy.ndarray:
    """
    The mean over the other methods of the reference's agreement with each; NaN where it agrees or
    disagrees with none in a defined way. Like is compared with like. Shape: (texts,)
    """
    reference, others = compared(attributions)
    measure = Kendall()
    firsts = {by_size: attributions.scores(reference, by_size) for by_size in (True, False)}
    values = []
    for name in others:
        by_size = compared_by(attributions, Pair(reference, name)) == BY_SIZE
        values.append(measure(firsts[by_size], attributions.scores(name, by_size)).value)
    if not values:
        return numpy.full(len(attributions.table), numpy.nan)
    every = numpy.stack(values)
    count = (~numpy.isnan(every)).sum(axis=0)
    # Not `nanmean`, which warns of texts without any value.
    return numpy.where(count > 0, numpy.nansum(every, axis=0) / numpy.maximum(count, 1), numpy.nan)


def usual_lengths(lengths: numpy.ndarray) -> Tuple[int, int]:
    """The middle half of them: the shortest texts have the extreme agreements, by chance alone."""
    low, high = numpy.quantile(lengths, [0.25, 0.75], method="nearest")
    return int(low), int(high)


def choose(agreement: numpy.ndarray, lengths: numpy.ndarray) -> List[Chosen]:
    """
    Of the texts of usual length that have a value: those nearest the median, then of the others the
    lowest, then the highest. The first in the file wins a tie.
    """
    shortest, longest = usual_lengths(lengths)
    usual = (lengths >= shortest) & (lengths <= longest) & ~numpy.isnan(agreement)
    left = numpy.flatnonzero(usual)
    if not len(left):
        return []
    middle = numpy.median(agreement[left])
    distances = {
        TYPICAL: numpy.abs(agreement - middle),
        DISPUTED: agreement,
        AGREED: -agreement,
    }
    chosen: List[Chosen] = []
    for kind, number in NUMBERS.items():
        order = left[numpy.argsort(distances[kind][left], kind="stable")]
        chosen += [Chosen(int(row), float(agreement[row]), kind) for row in order[:number]]
        left = numpy.setdiff1d(left, order[:number])
    return chosen


def token_counts(attributions: Attributions) -> numpy.ndarray:
    """Shape: (texts,)"""
    return attributions.table["tokens"].map(len).to_numpy()


def _is_control(attributions: Attributions, method: str) -> bool:
    parameters = attributions.metadata["interpreters"][method].get("parameters", {})
    return parameters.get("type", method) == CONTROL
