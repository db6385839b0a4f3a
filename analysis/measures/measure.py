"""
What a measure of agreement is, how it is found by the name, with options, that a user types, and
what it gives: one number per text, or the reason why there is none.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Optional, TypeVar

import numpy

from analysis.measures.scores import Scores
from attention_explain.errors import InputError

if TYPE_CHECKING:
    from analysis.measures.overlap import TopK

# Why a text has no value.
NO_SCORES = "no scores"
TOO_SHORT = "too few tokens"
NOT_FINITE = "scores that are not finite"
CONSTANT = "constant scores"
NEGATIVE = "negative scores"
ZERO_SUM = "scores sum to 0"
ALL_ZERO = "no score but 0"
WHOLE_TEXT = "k is the whole text"

T = TypeVar("T", bound="Named")


class Named:
    """A base class says of what `kind` its subclasses are and has its own `_registry`."""

    kind: ClassVar[str]
    # As the user wrote it, options and all.
    name: str

    _registry: ClassVar[dict[str, type]]

    @classmethod
    def register(cls, name: str) -> Callable[[type[T]], type[T]]:
        """A decorator that registers a class under a name."""

        def add(subclass: type[T]) -> type[T]:
            cls._registry[name] = subclass
            subclass.name = name
            return subclass

        return add

    @classmethod
    def names(cls) -> list[str]:
        """All registered names, sorted."""
        return sorted(cls._registry)

    @classmethod
    def named(cls: type[T], text: str) -> T:
        """`name` or `name:option=value,option=value`."""
        name, _, options = text.partition(":")
        if name not in cls._registry:
            known = ", ".join(cls.names())
            raise InputError(f"there is no {cls.kind} '{name}'; there are {known}")
        measure = cls._registry[name]
        allowed = list(inspect.signature(measure).parameters)
        given = {}
        for option in filter(None, options.split(",")):
            key, equals, value = option.partition("=")
            if not equals or key not in allowed:
                has = f"has {', '.join(allowed)}" if allowed else "has none"
                raise InputError(f"{cls.kind} '{name}' has no option '{option}'; it {has}")
            given[key] = _parsed(value)
        try:
            made = measure(**given)
        except InputError as error:
            raise InputError(f"{cls.kind} '{text}': {error}") from error
        made.name = text
        return made


def checked_number(option: str, value: Any, low: float, high: float, ends: bool) -> float:
    """An option that has to lie between two numbers; may be one of them if `ends`."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and (low < value < high or (ends and value in (low, high))):
        return float(value)
    between = f"from {low:g} to {high:g}" if ends else f"between {low:g} and {high:g}"
    raise InputError(f"{option} has to be a number {between}, not '{value}'")


def _parsed(text: str) -> object:
    """An option's value: a whole number, a number, or a word."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


class UndefinedValueError(Exception):
    """Raised by `Measure.one` where the measure has no value; the message says why."""


@dataclass(frozen=True)
class Values:
    """
    One number per text.

    value : NaN where it is undefined.
    undefined : why it is, "" where it is not.
    p_value : of the test against no agreement, where the measure has one.
    """

    value: numpy.ndarray
    undefined: numpy.ndarray
    p_value: numpy.ndarray | None = None

    @classmethod
    def everywhere(cls, value: numpy.ndarray) -> "Values":
        """Values that are all defined."""
        return cls(value, numpy.full(len(value), "", dtype=object))

    @classmethod
    def but_where(
        cls,
        reasons: dict[str, numpy.ndarray],
        value: numpy.ndarray,
        p_value: numpy.ndarray | None = None,
    ) -> "Values":
        """The values but where a reason holds; the first one that does is given."""
        undefined = _first_reason(reasons)
        defined = undefined == ""
        return cls(
            value=numpy.where(defined, value, numpy.nan),
            undefined=undefined,
            p_value=None if p_value is None else numpy.where(defined, p_value, numpy.nan),
        )

    @classmethod
    def defined_where(
        cls,
        defined: numpy.ndarray,
        value: numpy.ndarray,
        reason: str,
        p_value: numpy.ndarray | None = None,
    ) -> "Values":
        """The values where they are defined, and one reason for all the others."""
        return cls.but_where({reason: ~defined}, value, p_value)

    def among(self, undefined: numpy.ndarray) -> "Values":
        """Of more texts: these where `undefined` has no reason yet."""
        usable = undefined == ""
        reasons = undefined.copy()
        reasons[usable] = self.undefined

        def filled(numbers: numpy.ndarray) -> numpy.ndarray:
            of_all = numpy.full(len(usable), numpy.nan)
            of_all[usable] = numbers
            return of_all

        p_value = None if self.p_value is None else filled(self.p_value)
        return Values(filled(self.value), reasons, p_value)


def unusable(columns: Sequence[Scores], least_tokens: int) -> numpy.ndarray:
    """Why a text is undefined whatever is measured, "" where it is not. Shape: (texts,)"""
    known = numpy.logical_and.reduce([column.known for column in columns])
    finite = numpy.logical_and.reduce([column.finite for column in columns])
    short = columns[0].lengths < least_tokens
    return _first_reason({NO_SCORES: ~known, TOO_SHORT: short, NOT_FINITE: ~finite})


def _first_reason(reasons: dict[str, numpy.ndarray]) -> numpy.ndarray:
    return numpy.select(list(reasons.values()), list(reasons), default="").astype(object)


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
    mean_by_chance: ClassVar[float | None] = None
    # Of a measure that looks at the top tokens alone: how many those are.
    top_k: Optional["TopK"] = None

    _registry: ClassVar[dict[str, type["Measure"]]] = {}

    def __call__(self, first: Scores, second: Scores) -> Values:
        """
        A value for each text, in order. A text that one of the columns has no scores for, or
        infinite ones, or that is too short, is undefined whatever the measure.
        """
        if len(first) != len(second):
            raise InputError(
                f"the two columns have different numbers of texts, {len(first)} and {len(second)}"
            )
        known = first.known & second.known
        if not numpy.array_equal(first.lengths[known], second.lengths[known]):
            raise InputError("the two columns have texts of different lengths")
        undefined = unusable((first, second), self.least_tokens)
        usable = undefined == ""
        return self.all(first.only(usable), second.only(usable)).among(undefined)

    def ceiling(self, first: Scores, second: Scores) -> Values | None:
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
        """The value for one text, from its scores; may raise `UndefinedValueError`."""
        raise NotImplementedError

    def _one_or_reason(self, first: numpy.ndarray, second: numpy.ndarray) -> tuple[float, str]:
        try:
            return self.one(first, second), ""
        except UndefinedValueError as reason:
            return numpy.nan, str(reason)
