"""What a measure of scores says of a text: a number, or why there is none."""

from typing import Dict, Sequence, Union

import numpy


class Undefined(str):
    """In the place of a value: the reason."""


Value = Union[float, Undefined]
# Of each method, and there of each form of the measure.
Values = Dict[str, Dict[str, Value]]


def mean_of(values: Sequence[Value]) -> Value:
    """Over those that are defined; else why the first is not."""
    known = [value for value in values if not isinstance(value, Undefined)]
    return float(numpy.mean(known)) if known else values[0]
