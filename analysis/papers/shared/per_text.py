"""One number per text from a file, without a second column to agree with."""

from typing import Any, Callable, Dict

import numpy
from numpy.typing import ArrayLike

from analysis.measures import Property, Values
from analysis.models import Model
from analysis.papers.shared.paper import Method
from analysis.statistics.samples import Sample, summary
from analysis.text_files import TextFile

NO_LABEL = "no label"
NO_VALUE = "no value"

# What a file has for each of its texts.
PerText = Callable[[TextFile], Values]


def check(method: Method) -> PerText:
    """What gives the number that the method has next to its scores."""

    def values(file: TextFile) -> Values:
        numbers = file.table[method.column].to_numpy(dtype=float, na_value=numpy.nan)
        return Values.defined_where(numpy.isfinite(numbers), numbers, NO_VALUE)

    return values


def entropy(method: Method) -> PerText:
    """What gives the entropy of the scores, normalised by the length of the text."""
    measure = Property.named("entropy")
    return lambda file: measure(file.scores(method.name))


def correct(file: TextFile) -> Values:
    """1 where the prediction is the label, 0 where it is not; the mean is accuracy."""
    known = file.table["label"].notna().to_numpy()
    right: ArrayLike = (file.table["label"] == file.table["predicted"]).to_numpy(dtype=float)
    return Values.defined_where(known, right, NO_LABEL)


def sample(model: Model, values: PerText) -> Sample:
    """The values of each text under each seed of the model."""
    return Sample.of([values(file) for file in model.files])


def summarised(model: Model, values: PerText) -> Dict[str, Any]:
    """
    The mean of the values over all texts and seeds, with its interval and what else `summary`
    gives.
    """
    return {"seeds": len(model.files), **summary(sample(model, values))}
