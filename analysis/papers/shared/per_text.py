"""One number per text from a file, and texts binned by their largest attention weight, as the papers bin them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from analysis.agreement.agreement_table import OVERALL, groups
from analysis.measures import Property, Scores, Values
from analysis.models import Model
from analysis.papers.shared.paper import Method
from analysis.statistics.samples import Sample, summary
from analysis.text_files import TextFile

NO_LABEL = "no label"
NO_VALUE = "no value"

# Computes one number per text of a file.
PerText = Callable[[Any], Values]


def check(method: Method) -> PerText:
    """A function that reads the number that the method stores next to its scores."""

    def values(file: TextFile) -> Values:
        numbers = file.table[method.column].to_numpy(dtype=float, na_value=numpy.nan)
        return Values.defined_where(numpy.isfinite(numbers), numbers, NO_VALUE)

    return values


def entropy(method: Method) -> PerText:
    """A function that computes the entropy of the scores, normalised by the length of the text."""
    measure = Property.named("entropy")
    return lambda file: measure(file.scores(method.name))


def correct(file: TextFile) -> Values:
    """1 where the prediction is the label, 0 where it is not; the mean is accuracy."""
    known = file.table["label"].notna().to_numpy()
    right = (file.table["label"] == file.table["predicted"]).to_numpy(dtype=float)
    return Values.defined_where(known, right, NO_LABEL)


def sample(model: Model, values: PerText) -> Sample:
    """The values of each text under each seed of the model."""
    return Sample.of([values(file) for file in model.files])


def summarise(model: Model, values: PerText) -> dict[str, Any]:
    """The mean of the values over texts and seeds, with the columns of `summary`."""
    return {"seeds": len(model.files), **summary(sample(model, values))}


EDGES = (0.0, 0.25, 0.5, 0.75, 1.0)
NAMES = ("[0, .25)", "[.25, .5)", "[.5, .75)", "[.75, 1]")
ALL = "all"


def largest_weights(attention: Sequence[Scores]) -> numpy.ndarray:
    """The largest weight of each text, from the attention of each file. Shape: (files, texts)"""
    largest = Property.named("max")
    return numpy.array([largest(scores).value for scores in attention])


def bin_texts(weights: numpy.ndarray) -> dict[str, numpy.ndarray]:
    """Which texts are in each bin; texts without attention are in none. Shape: that of `weights`"""
    # A stored weight of 1 may be slightly larger.
    positions = numpy.digitize(weights, EDGES[1:-1])
    known = numpy.isfinite(weights)
    return {name: known & (positions == position) for position, name in enumerate(NAMES)}


def classes_of(model: Model) -> dict[str, numpy.ndarray]:
    """By class, the texts of each seed with that prediction. Shape of each: (seeds, texts)"""
    members = groups(model, "predicted")
    return {name: member for name, member in members.items() if name != OVERALL}


def by_bin(
    values: numpy.ndarray, weights: numpy.ndarray, classes: dict[str, numpy.ndarray]
) -> dict[str, dict[str, numpy.ndarray]]:
    """The values of each class in each bin; all arguments have the same shape."""
    bins = bin_texts(weights)
    return {
        f"predicted {name}": {of: values[member & inside] for of, inside in bins.items()}
        for name, member in classes.items()
    }
