"""What a measure of scores says of a text: a number, or why there is none."""

from typing import Dict, Sequence, Union

import numpy


class NoValue(str):
    """In the place of a value: the reason."""


Value = Union[float, NoValue]
# Of each method, and there of each form of the measure.
Values = Dict[str, Dict[str, Value]]


def mean_of(values: Sequence[Value]) -> Value:
    """Over those that are defined; else why the first is not."""
    known = [value for value in values if not isinstance(value, NoValue)]
    return float(numpy.mean(known)) if known else values[0]
