"""
The cost of methods and measures: the number of passes through the model for a text, from what `costs.toml`
declares. Loads no torch, so that studies can be planned quickly.
"""

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

DECLARED = Path(__file__).with_name("costs.toml")
# For a method that is not declared.
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
    forward, backward, decode : as `costs.toml` defines them.
    again : how often the measure applies the methods that it judges again.
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
    kind: str, name: str, options: Mapping[str, Any], tokens: float, apart: bool = False
) -> Passes:
    """
    The passes of one component.

    # Parameters

    kind, name : `str`
        The section of the file, such as `interpreters` and `lime`.
    options : `Mapping[str, Any]`
        Of the method; only numbers and `at` matter.
    tokens : `float`
        The length of the text.
    apart : `bool`
        Whether the model reads each set of tokens in a pass of its own.
    """
    declared = declaration(kind, name, options.get("at"))
    declared = declared.get("apart", declared) if apart else declared
    known = {"tokens": tokens, **declared.get("usual", {})}
    known.update({key: value for key, value in options.items() if isinstance(value, (int, float))})
    return Passes(
        *(_sum(declared.get(way, []), known) for way in ("forward", "backward", "decode", "again"))
    )


def passes_of_components(
    kind: str, components: Iterable[Config], tokens: float, apart: bool = False
) -> float:
    """
    The number of forward passes of several `interpreters` or `perturbations` for a text of `tokens`
    tokens.
    """
    configs = map(_options, components)
    return sum(passes(kind, each["type"], each, tokens, apart).in_forwards for each in configs)


def passes_of_measures(
    measures: Iterable[Config],
    erasures: int,
    methods: Iterable[Config],
    tokens: float,
    apart: bool = False,
) -> float:
    """
    The number of forward passes of several measures for a text of `tokens` tokens.

    # Parameters

    erasures : `int`
        The number of removal methods.
    methods : `Iterable[Config]`
        The interpreters whose scores are judged: some measures apply them again.
    """
    measures, methods = [*map(_options, measures)], [*methods]
    options = {"methods": len(methods), "sizes": _sizes(measures, tokens)}
    removal = passes("faithfulness", "erasure", options, tokens, apart).in_forwards
    again = sum(passes("faithfulness", each["type"], each, tokens).again for each in measures)
    return erasures * removal + again * passes_of_components("interpreters", methods, tokens, apart)


def _options(component: Config) -> Mapping[str, Any]:
    return {"type": component} if isinstance(component, str) else component


def _sizes(measures: Iterable[Mapping[str, Any]], tokens: float) -> float:
    """The number of sizes of the token sets that measures of orders, and the search, evaluate."""
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


def declaration(kind: str, name: str, at: Optional[str] = None) -> Dict[str, Any]:
    """The section of a method, or its subsection for `at`."""
    declared = _file()[kind].get(name, UNKNOWN)
    return declared.get(at, declared)


def _sum(terms: List[Any], known: Dict[str, float]) -> float:
    """A term is a number, the name of one, or a list of such, which is their product."""
    return sum(
        math.prod(_sum([factor], known) for factor in term)
        if isinstance(term, list)
        else known[term]
        if isinstance(term, str)
        else term
        for term in terms
    )


@cache
def _file() -> Dict[str, Any]:
    return tomllib.loads(DECLARED.read_text(encoding="utf-8"))
