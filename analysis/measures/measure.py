"""What a measure of agreement is, and how it is found by the name, with options, that a user types."""

import inspect
from typing import Any, Callable, ClassVar, Dict, List, Optional, Tuple, Type, TypeVar

import numpy

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores
from analysis.measures.top_k import TopK
from analysis.measures.values import (
    ALL_ZERO,
    CONSTANT,
    NEGATIVE,
    NO_SCORES,
    NOT_FINITE,
    TOO_SHORT,
    WHOLE_TEXT,
    ZERO_SUM,
    Undefined,
    Values,
    unusable,
)

T = TypeVar("T", bound="Named")


class Named:
    """A base class says of what `kind` its subclasses are and has its own `_registry`."""

    kind: ClassVar[str]
    # As the user wrote it, options and all.
    name: str

    _registry: ClassVar[Dict[str, type]]

    @classmethod
    def register(cls, name: str) -> Callable[[Type[T]], Type[T]]:
        def add(subclass: Type[T]) -> Type[T]:
            cls._registry[name] = subclass
            subclass.name = name
            return subclass

        return add

    @classmethod
    def names(cls) -> List[str]:
        return sorted(cls._registry)

    @classmethod
    def named(cls: Type[T], text: str) -> T:
        """`name` or `name:option=value,option=value`."""
        name, _, options = text.partition(":")
        if name not in cls._registry:
            known = ", ".join(cls.names())
            raise AnalysisError(f"there is no {cls.kind} '{name}'; there are {known}")
        found = cls._registry[name]
        allowed = list(inspect.signature(found).parameters)
        given = {}
        for option in filter(None, options.split(",")):
            key, equals, value = option.partition("=")
            if not equals or key not in allowed:
                has = f"has {', '.join(allowed)}" if allowed else "has none"
                raise AnalysisError(f"{cls.kind} '{name}' has no option '{option}'; it {has}")
            given[key] = _parsed(value)
        try:
            made = found(**given)
        except AnalysisError as error:
            raise AnalysisError(f"{cls.kind} '{text}': {error}") from error
        made.name = text
        return made


def checked_number(option: str, value: Any, low: float, high: float, ends: bool) -> float:
    """An option that has to lie between two numbers; may be one of them if `ends`."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and (low < value < high or (ends and value in (low, high))):
        return float(value)
    between = f"from {low:g} to {high:g}" if ends else f"between {low:g} and {high:g}"
    raise AnalysisError(f"{option} has to be a number {between}, not '{value}'")


def _parsed(text: str) -> object:
    """An option's value: a whole number, a number, or a word."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


__all__ = [
    "ALL_ZERO",
    "CONSTANT",
    "NEGATIVE",
    "NOT_FINITE",
    "NO_SCORES",
    "TOO_SHORT",
    "WHOLE_TEXT",
    "ZERO_SUM",
    "Measure",
    "Undefined",
    "Values",
]


class Measure(Named):
    """
    How alike two columns of scores are. A subclass with a name is all it takes:

        @Measure.register("same-top-token")
        class SameTopToken(Measure):
            def one(self, first, second):
                return float(first.argmax() == second.argmax())

    Where a loop over texts is too slow, override `all`, which gets every text at once. Options are
    the parameters of the constructor: `Measure.named("top-k-overlap:k=3")`.
    """

    kind = "measure"
    # Texts with fewer tokens are undefined.
    least_tokens: ClassVar[int] = 2
    # True of a measure that is 0 for columns that agree, and larger the less they do.
    distance: ClassVar[bool] = False
    # True of a measure that is at its best, of all orders that two columns' scores can have in a
    # text, when both go from low to high.
    best_when_sorted: bool = False
    # The mean over all orders of one column's scores, where that is the same for any two columns.
    mean_by_chance: ClassVar[Optional[float]] = None
    # Of a measure that looks at the top tokens alone: how many those are.
    top_k: Optional[TopK] = None

    _registry: ClassVar[Dict[str, Type["Measure"]]] = {}

    def __call__(self, first: Scores, second: Scores) -> Values:
        """
        A value for each text, in order. A text that one of the columns has no scores for, or
        infinite ones, or that is too short, is undefined whatever the measure.
        """
        if len(first) != len(second):
            raise AnalysisError(
                f"the two columns have different numbers of texts, {len(first)} and {len(second)}"
            )
        known = first.known & second.known
        if not numpy.array_equal(first.lengths[known], second.lengths[known]):
            raise AnalysisError("the two columns have texts of different lengths")
        undefined = unusable((first, second), self.least_tokens)
        usable = undefined == ""
        return self.all(first.only(usable), second.only(usable)).among(undefined)

    def ceiling(self, first: Scores, second: Scores) -> Optional[Values]:
        """
        The best value of each text if the scores of one column stood in any order within it: ties
        and zeros stay, so it may be less than 1. None where it is not known.
        """
        return self(first.sorted, second.sorted) if self.best_when_sorted else None

    def all(self, first: Scores, second: Scores) -> Values:
        """Every text has finite scores and `least_tokens` tokens here."""
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
