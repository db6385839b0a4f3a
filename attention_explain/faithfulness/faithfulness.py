"""The base class of all faithfulness measures, their values, and the scale that they are normalised to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Union

import numpy
from allennlp.common import Registrable

from attention_explain.files.faithfulness import TIED
from attention_explain.named_components import ComponentKind


@dataclass(frozen=True)
class Quantity:
    """
    One number that a measure reports.

    name : a measure may report several, such as a normalised form.
    k : the bin, if the number belongs to one.
    """

    name: str
    higher_is_better: bool
    k: float | None = None


class Faithfulness(Registrable):
    """
    A measure of how faithful scores are to the model that they explain.

    name : of the main quantity.
    higher_is_better : whether higher values of it are better.
    equation : the definition, as written into the file.
    in_order : whether the measure depends on the ranking of the tokens only, so that a search can
        optimise it.
    erasures : whether the measure removes tokens, so that each removal method gives another value.
    """

    name: str
    higher_is_better: bool
    equation: str
    in_order: bool = False
    erasures: bool = False

    def forms(self) -> dict[str, bool]:
        """The names of all quantities, the main one first, and whether higher is better."""
        return {self.name: self.higher_is_better}

    def called(self, form: str, name: str) -> str:
        """The name of a form of a measure that the user has renamed."""
        return form.replace(next(iter(self.forms())), name)


MEASURES = ComponentKind(
    noun="measure",
    registry=Faithfulness,
    base=Faithfulness,
    # The name of an extra row in the file.
    reserved=(TIED,),
    declared=("equation", "in_order", "erasures"),
)


class Undefined(str):
    """The reason why a value is undefined."""


Value = Union[float, Undefined]


@dataclass(frozen=True)
class Detailed:
    """
    A value with the numbers that it was computed from.

    curve, errors : one number per token, with its standard error. Shape: (tokens,)
    reliability : of the curve, from 0 to 1; None if undefined.
    """

    value: Value
    curve: numpy.ndarray
    errors: numpy.ndarray
    reliability: float | None


# By method, then by form of the measure.
Values = Mapping[str, Mapping[str, Union[Value, Detailed]]]


def mean_of(values: Sequence[Value]) -> Value:
    """The mean of the defined values; if there are none, the first reason."""
    known = [value for value in values if not isinstance(value, Undefined)]
    return float(numpy.mean(known)) if known else values[0]


# The smallest difference between the best and a random ranking that defines a scale.
LEAST = 1e-6


def normalise(value: float, chance: float, best: float, higher_is_better: bool) -> float | None:
    """
    (value - chance) / (best - chance): 0 for a method that is as good as random rankings, 1 for the
    best, negative for one that is worse than random. None if best and random do not differ.
    """
    length = best - chance
    if (length if higher_is_better else -length) <= LEAST:
        return None
    return float((value - chance) / length)
