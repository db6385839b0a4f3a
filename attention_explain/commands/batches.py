"""
How a job goes through its texts: in batches, the longest texts first, each saved as a part when it is
through; with its progress, and a word on how long the rest will take.
"""

import sys
import time
from typing import Any, Callable, Dict, List, Sequence, Tuple

import pyarrow
from allennlp.common import Tqdm
from allennlp.data import Instance

from attention_explain.budget import rows_by_length
from attention_explain.commands.estimate import estimate, seconds_left
from attention_explain.commands.parts import Parts

# Is called with the name of each step of a batch that is through, and the seconds it took.
AfterStep = Callable[[str, float], Any]
# From the rows of a batch to its table, and a record about it.
Work = Callable[[List[int], AfterStep], Tuple[pyarrow.Table, Dict[str, Any]]]


def token_bar(tokens: int, done: int, description: str) -> Any:
    """The progress of one job over all tokens of its texts, some of which were done before."""
    return Tqdm.tqdm(total=tokens, initial=done, unit="token", unit_scale=True, desc=description)


# Such a function: of what it makes, `n`, `update`, `write` and `close` are used.
MakeBar = Callable[[int, int, str], Any]


def work_through(
    instances: Sequence[Instance],
    budget: int,
    steps: Sequence[str],
    parts: Parts,
    work: Work,
    description: str,
    make_bar: MakeBar = token_bar,
) -> Tuple[pyarrow.Table, List[Dict[str, Any]]]:
    """
    Does the batches that are in no part yet. Returns all rows in the order of the instances, and
    the records, each with the `seconds` of every step. After two batches a long job says how long.

    # Parameters

    budget : `int`
        How many tokens, padding included, a batch may hold.
    steps : `Sequence[str]`
        What is done to a batch, for the progress.
    description : `str`
        Of the progress.
    """
    lengths = [len(instance["tokens"]) for instance in instances]
    # The longest first: what does not fit into memory or into the model fails at once.
    groups = rows_by_length(lengths, budget)[::-1]
    finished = parts.finished()
    tokens = [sum(lengths[row] for row in rows) for rows in groups]
    longest = [max(lengths[row] for row in rows) for rows in groups]
    pending = [number for number in range(len(groups)) if number not in finished]
    pending = in_telling_order(pending, tokens)
    done = sum(tokens[number] for number in finished)
    taken: Dict[int, float] = {}
    spent: Dict[str, float] = dict.fromkeys(steps, 0.0)
    bar = make_bar(sum(lengths), done, description)
    for place, number in enumerate(pending):
        start = time.perf_counter()
        seconds: Dict[str, float] = {}

        def after_step(name: str, took: float, done=done, size=tokens[number], seconds=seconds):
            seconds[name] = took
            spent[name] += took
            bar.update(done + size * len(seconds) / len(steps) - bar.n)

        table, record = work(groups[number], after_step)
        parts.save(number, table, {"seconds": seconds, **record})
        done += tokens[number]
        taken[number] = time.perf_counter() - start
        if place == 1:
            left = pending[2:]
            sentence = estimate(
                seconds_left(taken, left, tokens, longest),
                sum(len(groups[other]) for other in left),
                spent,
            )
            if sentence is not None:
                bar.write(f"{description}: {sentence}", file=sys.stderr)
    bar.close()
    return parts.merged()


def total_seconds(records: Sequence[Dict[str, Any]], steps: Sequence[str]) -> Dict[str, float]:
    """Of each step, over all batches."""
    return {name: sum(record["seconds"][name] for record in records) for name in steps}


def in_telling_order(numbers: Sequence[int], tokens: Sequence[int]) -> List[int]:
    """
    The batches to do, given the longest texts first: so they stay, but for the one in the middle of
    all tokens, which comes second: two of two lengths tell best how long all will take.

    # Parameters

    tokens : `Sequence[int]`
        Of each batch, by its number.
    """
    half = sum(tokens[number] for number in numbers) / 2
    before = 0
    for place, number in enumerate(numbers):
        before += tokens[number]
        if before >= half and place > 0:
            return [numbers[0], number, *numbers[1:place], *numbers[place + 1 :]]
    return list(numbers)
