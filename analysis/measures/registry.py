"""Things found by a name that the user types, with options after it."""

import inspect
from typing import Any, Callable, ClassVar, Dict, List, Type, TypeVar

from analysis.errors import AnalysisError

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
