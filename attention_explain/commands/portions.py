"""
Which texts of a job make one part of it, which is saved when it is through: so few that a part is seconds
of work, whatever the model, the texts and what is done to them. It is told from what methods declare and
from the size of the model, and not from a clock: a job that goes on must find the parts that it had.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Callable, Dict, List, Mapping, Sequence

import torch
from allennlp.modules.token_embedders import Embedding

from attention_explain.faithfulness.registry import MEASURES
from attention_explain.passes import rows_by_length
from workflow.passes import passes

# Multiplications of a part, if it has more than one text: some 5 seconds of a core.
PART = 2e11


@dataclass(frozen=True)
class Portion:
    """
    rows : the places of its texts among all, which are of like length.
    steps : what is done to them in it.
    share : which part of all steps these are.
    """

    rows: List[int]
    steps: List[str]
    share: float = 1.0


def portions(
    lengths: Sequence[int],
    budget: int,
    steps: Sequence[str],
    work: Callable[[int], float],
    by_step: bool,
) -> List[List[Portion]]:
    """
    Groups of texts, the longest first; the steps of a group may be several portions.

    # Parameters

    lengths : `Sequence[int]`
        Of each text, in tokens.
    budget : `int`
        How many tokens, padding included, a group may hold.
    work : `Callable[[int], float]`
        About how many multiplications a text of so many tokens takes.
    by_step : `bool`
        Whether a text that is too much at once can be saved after each step.
    """
    groups: List[List[Portion]] = []
    # The longest first: what does not fit into memory or into the model fails at once.
    for rows in rows_by_length(lengths, budget)[::-1]:
        for some in _within([work(lengths[row]) for row in rows[::-1]]):
            of_part = sorted(rows[::-1][place] for place in some)
            if by_step and work(lengths[of_part[0]]) > PART:
                groups.append([Portion(of_part, [step], 1 / len(steps)) for step in steps])
            else:
                groups.append([Portion(of_part, list(steps))])
    return groups


def _within(costs: Sequence[float]) -> List[List[int]]:
    """Places next to each other, of which the costs are together at most a part's; or single ones."""
    found: List[List[int]] = []
    for place, cost in enumerate(costs):
        if found and sum(costs[other] for other in found[-1]) + cost <= PART:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def fingerprint(groups: Sequence[Sequence[Portion]]) -> str:
    """Saved parts are of use only to a job that is divided in the same way."""
    told = [[portion.rows, portion.steps] for group in groups for portion in group]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def multiplications(model: torch.nn.Module) -> int:
    """Of a pass, for a token: each parameter is used once, but for those of tables to look up in."""
    tables = (torch.nn.Embedding, Embedding)
    return sum(
        parameter.numel()
        for module in model.modules()
        if not isinstance(module, tables)
        for parameter in module.parameters(recurse=False)
    )


def passes_of_methods(
    kind: str, methods: Mapping[str, Mapping[str, object]], tokens: float
) -> float:
    """
    How many passes forward all of them take, of a text of so many tokens.

    # Parameters

    kind : `str`
        `interpreters` or `perturbations`.
    methods : `Mapping[str, Mapping[str, object]]`
        The parameters of each, by its name.
    """
    return sum(passes(kind, each["type"], each, tokens).in_forwards for each in methods.values())


def passes_of_judging(
    measures: Mapping[str, Mapping[str, object]],
    erasures: int,
    methods: Mapping[str, Mapping[str, object]],
    apart: bool,
    tokens: float,
) -> float:
    """
    The same, for the scores of these methods to be judged.

    # Parameters

    apart : `bool`
        Whether the model reads each set of tokens in a pass of its own.
    """
    options: Dict[str, object] = {"methods": len(methods), **({"at": "apart"} if apart else {})}
    erased = passes("faithfulness", "erasure", options, tokens).in_forwards
    again = sum(
        passes("faithfulness", each["type"], each, tokens).again
        for each in measures.values()
        if not MEASURES.registry.by_name(each["type"]).erasures
    )
    return erasures * erased + again * passes_of_methods("interpreters", methods, tokens)
