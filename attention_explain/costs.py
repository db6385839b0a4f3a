"""
The cost of methods and measures: the number of forward passes per text, from `costs.toml`. Loads no torch, so that
studies can be planned quickly.
"""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Union

DECLARED = Path(__file__).with_name("costs.toml")
# The cost of a method that is not declared.
UNKNOWN = {"forward": [1], "backward": [1]}
# Relative to the time of a token in training: forward pass, backward pass, and update.
FORWARD, BACKWARD, DECODE = 0.3, 0.4, 0.0025
# Up to this number of tokens the search for the best order goes token by token.
ONE_BY_ONE = 32

# A component as users list it: "lrp", or {"type": "lime", "samples": 64}.
Config = Union[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Passes:
    """
    The cost of one component for one text.

    forward, backward, decode : as defined in `costs.toml`.
    again : how often a measure applies again the methods that it evaluates.
    """

    forward: float
    backward: float
    decode: float
    again: float

    @property
    def in_training(self) -> float:
        """In units of the time of a text in training, without methods that are applied again."""
        return FORWARD * self.forward + BACKWARD * self.backward + DECODE * self.decode

    @property
    def in_forwards(self) -> float:
        """In units of the time of a forward pass, without methods that are applied again."""
        return self.in_training / FORWARD


def passes(
    kind: str, name: str, options: Mapping[str, Any], tokens: float, separate: bool = False
) -> Passes:
    """
    The cost of one component.

    # Parameters

    kind, name : `str`
        The section of the file, such as `interpreters` and `lime`.
    options : `Mapping[str, Any]`
        The options of the method; only numbers and `at` matter.
    tokens : `float`
        The length of the text.
    separate : `bool`
        Whether the model needs a forward pass of its own for each subset of the tokens.
    """
    declared = declaration(kind, name, options.get("at"))
    declared = declared.get("apart", declared) if separate else declared
    known = {"tokens": tokens, **declared.get("usual", {})}
    known.update({key: value for key, value in options.items() if isinstance(value, (int, float))})
    return Passes(
        *(_sum(declared.get(way, []), known) for way in ("forward", "backward", "decode", "again"))
    )


def passes_of_components(
    kind: str, components: Iterable[Config], tokens: float, separate: bool = False
) -> float:
    """
    The number of forward passes of several `interpreters` or `perturbations` for a text of `tokens`
    tokens.
    """
    configs = map(_options, components)
    return sum(passes(kind, each["type"], each, tokens, separate).in_forwards for each in configs)


def passes_of_measures(
    measures: Iterable[Config],
    removals: int,
    methods: Iterable[Config],
    tokens: float,
    separate: bool = False,
) -> float:
    """
    The number of forward passes of several measures for a text of `tokens` tokens.

    # Parameters

    removals : `int`
        The number of removal methods.
    methods : `Iterable[Config]`
        The interpreters to evaluate: some measures apply them again.
    """
    configs, methods = [*map(_options, measures)], [*methods]
    options = {"methods": len(methods), "sizes": _sizes(configs, tokens)}
    removal = passes("faithfulness", "erasure", options, tokens, separate).in_forwards
    again = sum(passes("faithfulness", each["type"], each, tokens).again for each in configs)
    # Measures of the effects of words share permutations.
    effects = max(
        (
            passes("faithfulness", each["type"], each, tokens, separate).in_forwards
            for each in configs
            if "shared" in declaration("faithfulness", each["type"])
        ),
        default=0.0,
    )
    once = passes_of_components("interpreters", methods, tokens, separate)
    return removals * (removal + effects) + again * once


def _options(component: Config) -> Mapping[str, Any]:
    return {"type": component} if isinstance(component, str) else component


def _sizes(measures: Iterable[Mapping[str, Any]], tokens: float) -> float:
    """The number of different sizes of token sets that measures and the search evaluate."""
    sizes = [0.0]
    for options in measures:
        declared = _file()["faithfulness"].get(options["type"], {})
        if "points" in declared:
            sizes.append(min(tokens, options.get("points", declared["points"])))
        elif "bins" in declared:
            bins = len(options.get("bins") or ()) or declared["bins"]
            # The search goes token by token in short texts; bins end with half of the tokens.
            sizes.append(tokens / 2 if tokens / 2 <= ONE_BY_ONE else bins)
    return max(sizes)


def declaration(kind: str, name: str, at: str | None = None) -> dict[str, Any]:
    """The section of a method, or its subsection for `at`."""
    declared = _file()[kind].get(name, UNKNOWN)
    return declared.get(at, declared)


def _sum(terms: list[Any], known: dict[str, float]) -> float:
    """The sum of terms; a term is a number, the name of a number, or a list (their product)."""
    return sum(
        math.prod(_sum([factor], known) for factor in term)
        if isinstance(term, list)
        else known[term]
        if isinstance(term, str)
        else term
        for term in terms
    )


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(DECLARED.read_text(encoding="utf-8"))
