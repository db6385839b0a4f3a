"""
How a job goes through its texts: in batches, the longest texts first, each saved as a part when it is
through; with its progress, and a word on how long the rest will take, told from what the first two
batches really took here: no table of costs knows the model, the texts and the machine.
"""

import sys
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import pyarrow
from allennlp.common import Tqdm
from allennlp.data import Instance

from attention_explain.commands.parts import Parts
from attention_explain.passes import rows_by_length
from command_line.durations import in_words

# Seconds. Of a job that takes less nothing is said.
WORTH_A_WORD = 60.0

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


def seconds_left(
    taken: Dict[int, float], left: Sequence[int], tokens: Sequence[int], longest: Sequence[int]
) -> float:
    """
    What the batches that are left will take, if a token takes what it took in the two batches
    that are done: in texts between those two in length, something between; in shorter ones what it
    took in the shorter.

    # Parameters

    taken : `Dict[int, float]`
        Seconds of the two, by number.
    tokens, longest : `Sequence[int]`
        Of each batch, its tokens and the length of its longest text.
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
