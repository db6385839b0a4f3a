"""What a measure of agreement is, and how it is found by name."""

import inspect
from dataclasses import dataclass
from typing import Callable, ClassVar, Dict, List, Optional, Tuple, Type

import numpy

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores

# Why a text has no value.
NO_SCORES = "no scores"
TOO_SHORT = "too few tokens"
CONSTANT = "constant scores"
NEGATIVE = "negative scores"
ZERO_SUM = "scores sum to 0"


@dataclass(frozen=True)
class Values:
    """
    A number a text.

    value : NaN where it is undefined.
    undefined : why it is, "" where it is not.
    p_value : of the test against no agreement, where the measure has one.
    """

    value: numpy.ndarray
    undefined: numpy.ndarray
    p_value: Optional[numpy.ndarray] = None

    @classmethod
    def defined_where(
        cls,
        defined: numpy.ndarray,
        value: numpy.ndarray,
        reason: str,
        p_value: Optional[numpy.ndarray] = None,
    ) -> "Values":
        """The values where they are defined, and one reason for all the others."""
        return cls(
            value=numpy.where(defined, value, numpy.nan),
            undefined=numpy.where(defined, "", reason).astype(object),
            p_value=None if p_value is None else numpy.where(defined, p_value, numpy.nan),
        )


class Undefined(Exception):
    """Raised by `Measure.one` where the measure has no value; the message says why."""


class Measure:
    """
    How alike two columns of scores are. A subclass with a name is all it takes:

        @Measure.register("same-top-token")
        class SameTopToken(Measure):
            def one(self, first, second):
                return float(first.argmax() == second.argmax())

    Where a loop over texts is too slow, override `all`, which gets every text at once. Options are
    the parameters of the constructor: `Measure.named("top-k-overlap:k=3")`.
    """

    # Texts with fewer tokens are undefined.
    least_tokens: ClassVar[int] = 2
    # What two columns that have nothing to do with each other are expected to give, if that is one
    # number whatever the texts.
    chance: ClassVar[Optional[float]] = None
    # As the user wrote it, options and all.
    name: str

    _registry: ClassVar[Dict[str, Type["Measure"]]] = {}

    @classmethod
    def register(cls, name: str) -> Callable[[Type["Measure"]], Type["Measure"]]:
        def add(measure: Type["Measure"]) -> Type["Measure"]:
            cls._registry[name] = measure
            measure.name = name
            return measure

        return add

    @classmethod
    def names(cls) -> List[str]:
        return sorted(cls._registry)

    @classmethod
    def named(cls, text: str) -> "Measure":
        """`name` or `name:option=value,option=value`."""
        name, _, options = text.partition(":")
        if name not in cls._registry:
            raise AnalysisError(f"there is no measure '{name}'; there are {', '.join(cls.names())}")
        measure = cls._registry[name]
        allowed = list(inspect.signature(measure).parameters)
        given = {}
        for option in filter(None, options.split(",")):
            key, equals, value = option.partition("=")
            if not equals or key not in allowed:
                has = f"has {', '.join(allowed)}" if allowed else "has none"
                raise AnalysisError(f"measure '{name}' has no option '{option}'; it {has}")
            given[key] = _parsed(value)
        made = measure(**given)
        made.name = text
        return made

    def __call__(self, first: Scores, second: Scores) -> Values:
        """
        A value for each text, in order. A text that one of the columns has no scores for, or that
        is too short, is undefined whatever the measure.
        """
        known = first.known & second.known
        if not numpy.array_equal(first.lengths[known], second.lengths[known]):
            raise AnalysisError("the two columns have texts of different lengths")
        long_enough = first.lengths >= self.least_tokens
        usable = known & long_enough
        found = self.all(first.only(usable), second.only(usable))
        undefined = numpy.where(known, TOO_SHORT, NO_SCORES).astype(object)
        undefined[usable] = found.undefined
        value, p_value = numpy.full((2, len(known)), numpy.nan)
        value[usable] = found.value
        if found.p_value is not None:
            p_value[usable] = found.p_value
        return Values(value, undefined, None if found.p_value is None else p_value)

    def all(self, first: Scores, second: Scores) -> Values:
        """Every text has scores and `least_tokens` tokens here."""
        pairs = [self._one_or_reason(*pair) for pair in zip(first, second, strict=True)]
        values, reasons = zip(*pairs, strict=True) if pairs else ((), ())
        return Values(numpy.array(values, dtype=float), numpy.array(reasons, dtype=object))

    def one(self, first: numpy.ndarray, second: numpy.ndarray) -> float:
        """The value for one text, from its scores; may raise `Undefined`."""
        raise NotImplementedError

    def _one_or_reason(self, first: numpy.ndarray, second: numpy.ndarray) -> Tuple[float, str]:
        try:
            return self.one(first, second), ""
        except Undefined as reason:
            return numpy.nan, str(reason)


def _parsed(text: str) -> object:
    """An option's value: a whole number, a number, or a word."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
