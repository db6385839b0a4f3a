"""Texts by their largest weight of attention, as the papers bin them."""

from typing import Dict, Sequence

import numpy

from analysis.agreement.agreement_table import OVERALL, groups
from analysis.measures import Property, Scores
from analysis.models import Model

EDGES = (0.0, 0.25, 0.5, 0.75, 1.0)
NAMES = ("[0, .25)", "[.25, .5)", "[.5, .75)", "[.75, 1]")
ALL = "all"


def largest_weights(attention: Sequence[Scores]) -> numpy.ndarray:
    """The largest weight of each text, from the attention of each file. Shape: (files, texts)"""
    largest = Property.named("max")
    return numpy.array([largest(scores).value for scores in attention])


def bins_of(weights: numpy.ndarray) -> Dict[str, numpy.ndarray]:
    """Which texts are in each bin; a text without attention is in none. Shape: as `weights`"""
    # A weight of 1 may come out of its file a little larger.
    positions = numpy.digitize(weights, EDGES[1:-1])
    known = numpy.isfinite(weights)
    return {name: known & (positions == position) for position, name in enumerate(NAMES)}


def classes_of(model: Model) -> Dict[str, numpy.ndarray]:
    """Which texts of each seed a class is predicted for, by class. Shape of each: (seeds, texts)"""
    members = groups(model, "predicted")
    return {name: member for name, member in members.items() if name != OVERALL}


def by_bin(
    values: numpy.ndarray, weights: numpy.ndarray, classes: Dict[str, numpy.ndarray]
) -> Dict[str, Dict[str, numpy.ndarray]]:
    """
    The values of each class in each bin, by the names that figures have for them. All that is given
    has one shape.
    """
    bins = bins_of(weights)
    return {
        f"predicted {name}": {of: values[member & inside] for of, inside in bins.items()}
        for name, member in classes.items()
    }
