"""
What users name: components, by names or configs that they list, each with a name for its results;
and the values of options that have but a few.
"""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Collection, Dict, List, Optional, Sequence, Tuple, Type, Union

from allennlp.common import Params, Registrable
from allennlp.common.checks import ConfigurationError
from allennlp.common.from_params import infer_constructor_params

from attention_explain.errors import InputError
from attention_explain.messages import did_you_mean

# "lrp", or {"type": "gradient-x-input", "absolute": true, "name": "jain-wallace"}.
ComponentConfig = Union[str, Dict[str, Any]]


@dataclass(frozen=True)
class ComponentKind:
    """
    noun : what users call one of them.
    registry : where they are registered.
    base : what those of this project have in common.
    reserved : names of columns that stand next to those of the components.
    given : what their constructors take that is no option.
    declared : attributes that each must have.

    A class that had an option under another name says in `renamed` what that is called now.
    """

    noun: str
    registry: Type[Registrable]
    base: Type
    reserved: Tuple[str, ...]
    given: Tuple[str, ...] = ()
    declared: Tuple[str, ...] = ()

    def known(self) -> List[str]:
        """The names of this project's own."""
        return sorted(
            name
            for name in self.registry.list_available()
            if issubclass(self.registry.by_name(name), self.base)
        )

    def build(
        self, configs: Sequence[ComponentConfig], seed: Optional[int] = None, **given: Any
    ) -> Dict[str, Any]:
        """
        The components by the name of their results: the config's `name`, or else its `type`, so
        that one can stand twice in the list with different options.

        # Parameters

        seed : `int`, optional
            For those that draw random numbers, where their config gives none.
        """
        if isinstance(configs, (str, dict)) or not isinstance(configs, Sequence):
            raise InputError(f"{self.noun}s must be a list of names or configs, but is {configs!r}")
        if not configs:
            raise InputError(f"no {self.noun} is named; there are {', '.join(self.known())}")
        built: Dict[str, Any] = {}
        for config in configs:
            options = self._options(config)
            name = self._checked_name(options.pop("name", options["type"]))
            if name in built:
                raise InputError(
                    f"two {self.noun}s are called '{name}'; give one of them another 'name'"
                )
            built[name] = self._build(options, seed, given)
        return built

    def option_names(self, component: Type) -> List[str]:
        """The options of a component, as its constructor has them."""
        # One without a constructor has Python's own, which takes anything.
        if component.__init__ is object.__init__:
            return []
        # Those that it hands on as **kwargs to the class it is derived from included.
        options = infer_constructor_params(component)
        return [
            name
            for name, option in options.items()
            if option.kind not in (option.VAR_POSITIONAL, option.VAR_KEYWORD)
            and name not in ("self", *self.given)
        ]

    def parameters(self, component: Any) -> Dict[str, Any]:
        """Type and options, those left at their defaults included, which it has as attributes."""
        kind = next(name for name in self.known() if self.registry.by_name(name) is type(component))
        names = self.option_names(type(component))
        self._check_attributes(component, kind, names)
        return {"type": kind, **{name: getattr(component, name) for name in names}}

    def _check_attributes(self, component: Any, kind: str, names: Sequence[str]) -> None:
        for name in names:
            if not hasattr(component, name):
                raise InputError(
                    f"{self.noun} '{kind}': {type(component).__name__} has no attribute '{name}', "
                    "which is to be said of its results"
                )

    @property
    def _one(self) -> str:
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"

    def _options(self, config: ComponentConfig) -> Dict[str, Any]:
        options = {"type": config} if isinstance(config, str) else config
        if not isinstance(options, dict) or not isinstance(options.get("type"), str):
            raise InputError(
                f"{self._one} is a name or an object with a 'type', but one is {config!r}"
            )
        known = self.known()
        if options["type"] not in known:
            meant = did_you_mean(options["type"], known)
            raise InputError(
                f"there is no {self.noun} '{options['type']}'; {meant}there are {', '.join(known)}; one of "
                "your own needs --include-package"
            )
        return deepcopy(options)

    def _checked_name(self, name: Any) -> str:
        if not isinstance(name, str) or not name or name in self.reserved or "." in name:
            others = f" and must be none of {', '.join(self.reserved)}" if self.reserved else ""
            raise InputError(
                f"{self._one} cannot be called {name!r}: its name is that of a column, which must "
                f"have no dot{others}"
            )
        return name

    def _build(self, options: Dict[str, Any], seed: Optional[int], given: Dict[str, Any]) -> Any:
        kind = options["type"]
        for old, new in getattr(self.registry.by_name(kind), "renamed", {}).items():
            if old in options:
                raise InputError(f"{self.noun} '{kind}': its option '{old}' is called {new}")
        if seed is not None and "seed" in self.option_names(self.registry.by_name(kind)):
            options.setdefault("seed", seed)
        try:
            built = self.registry.from_params(Params(options), **given)
        except (ConfigurationError, InputError, TypeError, ValueError) as error:
            # AllenNLP says a wrong type with a TypeError, and all say which option, but not whose.
            raise InputError(f"{self.noun} '{kind}': {_sentence(error)}") from error
        self._check_attributes(built, kind, self.declared)
        return built


def check_choice(option: str, value: str, choices: Collection[str]) -> str:
    """The value of an option that must be one of these."""
    if value not in choices:
        raise InputError(f"{option} is {value!r}, but must be one of {', '.join(choices)}")
    return value


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split())


def check_number(name: str, number: Any, most: int, other: str = "") -> None:
    """That an option which counts from 1 ends where it must; `other` is what it may be as well."""
    if type(number) is not int or not 1 <= number <= most:
        raise InputError(f"{name} is {number!r}, but must be from 1 to {most}{other}")
