"""
What methods declare of their cost, reckoned for texts of some length: how often one goes through the
model. For plans of studies as for the plugin, whose file is read without loading torch.
"""

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional

DECLARED = Path(__file__).with_name("costs.toml")
# A method that nobody has declared anything of.
UNKNOWN = {"forward": [1], "backward": [1]}
# In the time of a word in training, which goes forward and backward, and has its parameters changed.
FORWARD, BACKWARD, DECODE = 0.3, 0.4, 0.0025
# Up to so many tokens the search for the best order goes one by one.
ONE_BY_ONE = 32


@dataclass(frozen=True)
class Passes:
    """
    forward, backward, decode : as `costs.toml` explains them.
    again : of all methods that are judged, which are applied anew.
    """

    forward: float
    backward: float
    decode: float
    again: float

    @property
    def in_training(self) -> float:
        """Without what is applied anew, in the time of a text that is trained on."""
        return FORWARD * self.forward + BACKWARD * self.backward + DECODE * self.decode

    @property
    def in_forwards(self) -> float:
        """The same in the time of a pass forward."""
        return self.in_training / FORWARD


def passes(
    kind: str, name: str, options: Mapping[str, Any], tokens: float, apart: bool = False
) -> Passes:
    """
    # Parameters

    kind, name : `str`
        The section of the file: `interpreters`, and `lime`.
    options : `Mapping[str, Any]`
        Of the method; numbers and `at` count.
    tokens : `float`
        Of a text.
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


def sizes_judged(measures: Iterable[Mapping[str, Any]], tokens: float) -> float:
    """Of how many sizes the token sets are that measures of orders look at, and the search with them."""
    sizes = [0.0]
    for options in measures:
        declared = _file()["faithfulness"].get(options["type"], {})
        if "points" in declared:
            sizes.append(min(tokens, options.get("points", declared["points"])))
        elif "bins" in declared:
            bins = len(options.get("bins") or ()) or declared["bins"]
            # A search for few tokens goes one by one, whatever the bins, which end with half of them.
            sizes.append(tokens / 2 if tokens / 2 <= ONE_BY_ONE else bins)
    return max(sizes)


def declaration(kind: str, name: str, at: Optional[str] = None) -> Dict[str, Any]:
    """The section of a method, or what it has for that place."""
    declared = _file()[kind].get(name, UNKNOWN)
    return declared.get(at, declared)


def _sum(terms: List[Any], known: Dict[str, float]) -> float:
    """A term is a number, the name of one that is known, or a list of such, which is their product."""
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
