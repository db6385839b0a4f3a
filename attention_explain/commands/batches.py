"""
How a job goes through its texts: in portions, the longest texts first, each saved as a part when it is
through; with its progress, and a word on how long the rest will take, told from what the first two
groups of texts really took here: no table of costs knows the model, the texts and the machine.

A portion has so few texts that it is seconds of work, whatever the model, the texts and what is done to
them. It is told from what methods declare and from the size of the model, and not from a clock: a job
that goes on must find the parts that it had.
"""

import hashlib
import itertools
import json
import sys
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

import pyarrow
import torch
from allennlp.modules.token_embedders import Embedding

from attention_explain.commands.cost_model import passes, sizes_judged
from attention_explain.commands.parts import Parts
from attention_explain.commands.progress import JobProgress
from attention_explain.faithfulness.registry import MEASURES
from attention_explain.messages.durations import in_words
from attention_explain.passes import rows_by_length

# Multiplications of a part, if it has more than one text: some 5 seconds of a core.
PART = 2e11
# Seconds. Of a job that takes less nothing is said.
WORTH_A_WORD = 60.0


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


# Is called with the name of each step of a portion that is through, and the seconds it took.
AfterStep = Callable[[str, float], Any]
# From a portion to its table, and a record about it.
Work = Callable[[Portion, AfterStep], Tuple[pyarrow.Table, Dict[str, Any]]]


def work_through(
    groups: Sequence[Sequence[Portion]],
    lengths: Sequence[int],
    parts: Parts,
    work: Work,
    description: str,
    progress: JobProgress,
) -> Tuple[pyarrow.Table, List[Dict[str, Any]]]:
    """
    Does the portions that are in no part yet. Returns all rows in the order of the texts, and the
    records, each with the `seconds` of every step. After two groups a long job says how long.

    # Parameters

    groups : `Sequence[Sequence[Portion]]`
        As `portions` gives them.
    lengths : `Sequence[int]`
        Of each text, in tokens.
    description : `str`
        Of the progress.
    """
    finished = parts.finished()
    numbers = itertools.count()
    # What is left of each group, by the number of its part.
    left = [
        {number: portion for portion, number in zip(group, numbers) if number not in finished}
        for group in groups
    ]
    whole = [sum(lengths[row] for row in group[0].rows) for group in groups]
    # Tokens that are left: of a step that is done, none are.
    tokens = [size * sum(each.share for each in some.values()) for size, some in zip(whole, left)]
    longest = [max(lengths[row] for row in group[0].rows) for group in groups]
    pending = in_telling_order([place for place, some in enumerate(left) if some], tokens)
    done = sum(whole) - sum(tokens)
    taken: Dict[int, float] = {}
    spent: Dict[str, float] = {}
    bar = progress.start(sum(whole), done, description)
    for count, place in enumerate(pending):
        start = time.perf_counter()
        for number, portion in left[place].items():
            size = whole[place] * portion.share
            seconds: Dict[str, float] = {}

            def after_step(
                name: str, took: float, done=done, size=size, seconds=seconds, portion=portion
            ):
                seconds[name] = took
                spent[name] = spent.get(name, 0.0) + took
                bar.update(done + size * len(seconds) / len(portion.steps) - bar.n)

            table, record = work(portion, after_step)
            parts.save(number, table, {"seconds": seconds, **record})
            done += size
        taken[place] = time.perf_counter() - start
        if count == 1:
            rest = pending[2:]
            sentence = estimate(
                seconds_left(taken, rest, tokens, longest),
                sum(len(groups[other][0].rows) for other in rest),
                spent,
            )
            if sentence is not None:
                bar.write(f"{description}: {sentence}", file=sys.stderr)
    bar.close()
    return parts.merged()


def total_seconds(records: Sequence[Dict[str, Any]], steps: Sequence[str]) -> Dict[str, float]:
    """Of each step, over all parts."""
    return {name: sum(each["seconds"].get(name, 0.0) for each in records) for name in steps}


def in_telling_order(numbers: Sequence[int], tokens: Sequence[int]) -> List[int]:
    """
    The groups to do, given the longest texts first: so they stay, but for the one in the middle of
    all tokens, which comes second: two of two lengths tell best how long all will take.

    # Parameters

    tokens : `Sequence[int]`
        Of each group, by its number.
    """
    half = sum(tokens[number] for number in numbers) / 2
    before = 0
    for place, number in enumerate(numbers):
        before += tokens[number]
        if before >= half and place > 0:
            return [numbers[0], number, *numbers[1:place], *numbers[place + 1 :]]
    return list(numbers)


def seconds_left(
    taken: Dict[int, float], left: Sequence[int], tokens: Sequence[int], longest: Sequence[int]
) -> float:
    """
    What the groups that are left will take, if a token takes what it took in the two groups
    that are done: in texts between those two in length, something between; in shorter ones what it
    took in the shorter.

    # Parameters

    taken : `Dict[int, float]`
        Seconds of the two, by number.
    tokens, longest : `Sequence[int]`
        Of each group, its tokens and the length of its longest text.
    """
    long, short = sorted(taken, key=lambda number: -longest[number])
    slow, fast = (taken[number] / tokens[number] for number in (long, short))
    span = longest[long] - longest[short]

    def a_token(number: int) -> float:
        share = min(1.0, max(0.0, (longest[number] - longest[short]) / span)) if span else 0.5
        return fast + share * (slow - fast)

    return sum(tokens[number] * a_token(number) for number in left)


def estimate(
    seconds: float, texts: int, steps: Dict[str, float], enough: float = WORTH_A_WORD
) -> Optional[str]:
    """
    The sentence for so many texts that are left; None for a short job.

    # Parameters

    steps : `Dict[str, float]`
        What each step has taken so far.
    """
    if seconds < enough:
        return None
    slowest = max(steps, key=steps.get)
    share = steps[slowest] / sum(steps.values()) if len(steps) > 1 else 1.0
    most = f", {share:.0%} of it for {slowest}" if share < 1 else ""
    return (
        f"about {in_words(seconds)} on this machine for the {texts} texts that are left{most}; "
        "--limit takes fewer texts"
    )


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
    parts: List[List[int]] = []
    for place, cost in enumerate(costs):
        if parts and sum(costs[other] for other in parts[-1]) + cost <= PART:
            parts[-1].append(place)
        else:
            parts.append([place])
    return parts


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
    kind: str,
    methods: Mapping[str, Mapping[str, object]],
    tokens: float,
    apart: bool = False,
) -> float:
    """
    How many passes forward all of them take, of a text of so many tokens.

    # Parameters

    kind : `str`
        `interpreters` or `perturbations`.
    methods : `Mapping[str, Mapping[str, object]]`
        The parameters of each, by its name.
    apart : `bool`, optional (default = `False`)
        Whether the model reads each set of tokens in a pass of its own.
    """
    return sum(
        passes(kind, each["type"], each, tokens, apart).in_forwards for each in methods.values()
    )


def passes_of_judging(
    measures: Mapping[str, Mapping[str, object]],
    erasures: int,
    methods: Mapping[str, Mapping[str, object]],
    apart: bool,
    tokens: float,
) -> float:
    """The same, for the scores of these methods to be judged."""
    sizes = sizes_judged(measures.values(), tokens)
    options = {"methods": len(methods), "sizes": sizes}
    erased = passes("faithfulness", "erasure", options, tokens, apart).in_forwards
    again = sum(
        passes("faithfulness", each["type"], each, tokens).again
        for each in measures.values()
        if not MEASURES.registry.by_name(each["type"]).erasures
    )
    return erasures * erased + again * passes_of_methods("interpreters", methods, tokens, apart)
