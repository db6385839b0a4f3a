"""
How a job processes its texts: in chunks, the longest texts first, each saved when it is finished; with a
progress bar over one job or over several, and an estimate of the remaining time from the time of the first
two groups of texts.

A chunk is a few seconds of work. Its size depends on the declared cost of the methods and on the size of
the model, not on a clock: a resumed job must find the same chunks.
"""

import hashlib
import itertools
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import torch
from allennlp.common import Tqdm
from allennlp.modules.token_embedders import Embedding

from attention_explain.commands.chunks import ChunkStore, MemoryStore
from attention_explain.messages import in_words
from attention_explain.passes import rows_by_length

# The most multiplications of a chunk with more than one text: about 5 seconds on one core.
CHUNK_COST = 2e11
# Seconds. No estimate is printed for shorter jobs.
LONG_JOB = 60.0


class JobProgress:
    """The progress of a job that runs alone."""

    def start(self, tokens: int, done: float, description: str) -> Any:
        """A bar over all tokens, some of which were done before; it has `n`, `update`, `write` and `close`."""
        return Tqdm.tqdm(
            total=tokens, initial=done, unit="token", unit_scale=True, desc=description
        )

    def report(self, output: str | Path, lines: Sequence[str]) -> None:
        """Print what was done."""
        print(f"{output}:", "\n".join(lines), file=sys.stderr)


class InteractiveProgress(JobProgress):
    """
    The progress of a job in an interactive session, without a report at its end.

    # Parameters

    shown : `bool`
        Whether there is a progress bar.
    """

    def __init__(self, shown: bool) -> None:
        self._shown = shown

    def start(self, tokens: int, done: float, description: str) -> Any:
        return super().start(tokens, done, description) if self._shown else _NoBar()

    def report(self, output: str | Path, lines: Sequence[str]) -> None:
        """Print nothing: the caller gets the result."""


class _NoBar:
    n: float = 0

    def update(self, tokens: float) -> None:
        self.n += tokens

    def write(self, line: str, file: Any) -> None:
        """Print nothing."""

    def close(self) -> None:
        """There is nothing to close."""


class TotalProgress:
    """
    One bar over several jobs, each with a share of the expected time.

    # Parameters

    seconds : `Sequence[float]`
        The expected time of each job, in order.
    reports : `bool`, optional (default = `True`)
        Whether to print the first line of each job's report.
    """

    def __init__(self, seconds: Sequence[float], reports: bool = True) -> None:
        self.seconds = seconds
        self.reports = reports
        self.bar = Tqdm.tqdm(
            total=sum(seconds), bar_format="{desc}{percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
        )

    def of_job(self, index: int) -> JobProgress:
        """The progress of one of the jobs."""
        return _OneOfSeveral(self, index)

    def close(self) -> None:
        """Remove the bar."""
        self.bar.close()


class _OneOfSeveral(JobProgress):
    def __init__(self, total: TotalProgress, index: int) -> None:
        self._total, self._index = total, index

    def start(self, tokens: int, done: float, description: str) -> "_Segment":
        seconds = self._total.seconds
        self._total.bar.set_description(f"{self._index + 1} of {len(seconds)}, {description}")
        before = sum(seconds[: self._index])
        return _Segment(self._total.bar, before, seconds[self._index] / tokens, done)

    def report(self, output: str | Path, lines: Sequence[str]) -> None:
        if self._total.reports:
            self._total.bar.write(f"{output}: {lines[0]}", file=sys.stderr)


class _Segment:
    """The tokens of one job, as a segment of the bar over all jobs."""

    def __init__(self, bar: Any, before: float, seconds_per_token: float, done: float) -> None:
        self.n: float = 0
        self._bar, self._before, self._seconds_per_token = bar, before, seconds_per_token
        # Tokens that were done before say nothing about the speed.
        bar.initial += done * seconds_per_token
        self.update(done)

    def update(self, tokens: float) -> None:
        self.n += tokens
        # Sums of shares can be slightly more than the total.
        reached = min(self._before + self.n * self._seconds_per_token, self._bar.total)
        self._bar.update(reached - self._bar.n)

    def write(self, line: str, file: Any) -> None:
        self._bar.write(line, file=file)

    def close(self) -> None:
        """The next job continues with the same bar."""


@dataclass(frozen=True)
class Chunk:
    """
    rows : the indices of its texts, which have similar lengths.
    steps : the steps that are done to them.
    share : the fraction of all steps that these are.
    """

    rows: list[int]
    steps: list[str]
    share: float = 1.0


# Called after each step of a chunk, with its name and the seconds it took.
AfterStep = Callable[[str, float], Any]
# From a chunk to its table and its counts.
Work = Callable[[Chunk, AfterStep], tuple[pyarrow.Table, dict[str, Any]]]


def work_through(
    groups: Sequence[Sequence[Chunk]],
    lengths: Sequence[int],
    store: ChunkStore | MemoryStore,
    work: Work,
    description: str,
    progress: JobProgress,
) -> tuple[pyarrow.Table, list[dict[str, Any]]]:
    """
    Process the chunks that are not saved yet. Returns all rows in the order of the texts, and the
    counts, each with the `seconds` of every step. A long job prints an estimate after two groups.

    # Parameters

    groups : `Sequence[Sequence[Chunk]]`
        From `plan_chunks`.
    lengths : `Sequence[int]`
        The number of tokens of each text.
    description : `str`
        Of the progress bar.
    """
    finished = store.finished()
    numbers = itertools.count()
    # The remaining chunks of each group, by number.
    left = [
        {number: chunk for chunk, number in zip(group, numbers) if number not in finished}
        for group in groups
    ]
    sizes = [sum(lengths[row] for row in group[0].rows) for group in groups]
    # Remaining tokens, weighted by the fraction of steps that remain.
    tokens = [size * sum(each.share for each in some.values()) for size, some in zip(sizes, left)]
    longest = [max(lengths[row] for row in group[0].rows) for group in groups]
    pending = sampling_order([index for index, some in enumerate(left) if some], tokens)
    done = sum(sizes) - sum(tokens)
    taken: dict[int, float] = {}
    spent: dict[str, float] = {}
    bar = progress.start(sum(sizes), done, description)
    for count, index in enumerate(pending):
        start = time.perf_counter()
        for number, chunk in left[index].items():
            size = sizes[index] * chunk.share
            seconds: dict[str, float] = {}

            def after_step(
                name: str, took: float, done=done, size=size, seconds=seconds, chunk=chunk
            ):
                seconds[name] = took
                spent[name] = spent.get(name, 0.0) + took
                bar.update(done + size * len(seconds) / len(chunk.steps) - bar.n)

            table, counts = work(chunk, after_step)
            store.save(number, table, {"seconds": seconds, **counts})
            done += size
        taken[index] = time.perf_counter() - start
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
    return store.merged()


def total_seconds(counts: Sequence[dict[str, Any]], steps: Sequence[str]) -> dict[str, float]:
    """The time of each step over all chunks."""
    return {name: sum(each["seconds"].get(name, 0.0) for each in counts) for name in steps}


def sampling_order(numbers: Sequence[int], tokens: Sequence[float]) -> list[int]:
    """
    The order of groups in which the time can be estimated after two: the longest texts first, as given,
    but the group in the middle of all tokens second.

    # Parameters

    tokens : `Sequence[float]`
        The number of tokens of each group.
    """
    half = sum(tokens[number] for number in numbers) / 2
    before = 0.0
    for index, number in enumerate(numbers):
        before += tokens[number]
        if before >= half and index > 0:
            return [numbers[0], number, *numbers[1:index], *numbers[index + 1 :]]
    return list(numbers)


def seconds_left(
    spent: dict[int, float], left: Sequence[int], tokens: Sequence[float], longest: Sequence[int]
) -> float:
    """
    The time of the remaining groups: the time per token is interpolated by length between the two groups
    that are finished; for shorter texts it is that of the shorter group.

    # Parameters

    spent : `Dict[int, float]`
        The seconds of the two finished groups, by number.
    tokens, longest : `Sequence[float]`, `Sequence[int]`
        The number of tokens of each group, and the length of its longest text.
    """
    long, short = sorted(spent, key=lambda number: -longest[number])
    slow, fast = (spent[number] / tokens[number] for number in (long, short))
    span = longest[long] - longest[short]

    def per_token(number: int) -> float:
        share = min(1.0, max(0.0, (longest[number] - longest[short]) / span)) if span else 0.5
        return fast + share * (slow - fast)

    return sum(tokens[number] * per_token(number) for number in left)


def estimate(
    seconds: float, texts: int, steps: dict[str, float], enough: float = LONG_JOB
) -> str | None:
    """
    The estimate as a sentence; None for a short job.

    # Parameters

    texts : `int`
        The number of remaining texts.
    steps : `Dict[str, float]`
        The time of each step so far.
    """
    if seconds < enough:
        return None
    slowest = max(steps, key=lambda name: steps[name])
    share = steps[slowest] / sum(steps.values()) if len(steps) > 1 else 1.0
    most = f", {share:.0%} of it for {slowest}" if share < 1 else ""
    return (
        f"about {in_words(seconds)} on this machine for the remaining {texts} texts{most}; "
        "use --limit for fewer texts"
    )


def plan_chunks(
    lengths: Sequence[int],
    budget: int,
    steps: Sequence[str],
    work: Callable[[int], float],
    by_step: bool,
) -> list[list[Chunk]]:
    """
    Groups of texts, the longest first; the steps of a group may be several chunks.

    # Parameters

    lengths : `Sequence[int]`
        The number of tokens of each text.
    budget : `int`
        The largest number of tokens of a group, padding included.
    work : `Callable[[int], float]`
        The approximate number of multiplications for a text of the given length.
    by_step : `bool`
        Whether an expensive text can be saved after each step.
    """
    groups: list[list[Chunk]] = []
    # The longest first: what does not fit into memory or into the model fails at once.
    for rows in rows_by_length(lengths, budget)[::-1]:
        for some in _within([work(lengths[row]) for row in rows[::-1]]):
            of_chunk = sorted(rows[::-1][index] for index in some)
            if by_step and work(lengths[of_chunk[0]]) > CHUNK_COST:
                groups.append([Chunk(of_chunk, [step], 1 / len(steps)) for step in steps])
            else:
                groups.append([Chunk(of_chunk, list(steps))])
    return groups


def _within(costs: Sequence[float]) -> list[list[int]]:
    """Runs of indices whose total cost is at most that of a chunk; or single indices."""
    runs: list[list[int]] = []
    for index, cost in enumerate(costs):
        if runs and sum(costs[other] for other in runs[-1]) + cost <= CHUNK_COST:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def fingerprint(groups: Sequence[Sequence[Chunk]]) -> str:
    """A hash of the division into chunks: saved chunks are only valid for the same division."""
    content = [[chunk.rows, chunk.steps] for group in groups for chunk in group]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def multiplications(model: torch.nn.Module) -> int:
    """Multiplications per token of a forward pass: one per parameter, except those of embeddings."""
    tables = (torch.nn.Embedding, Embedding)
    return sum(
        parameter.numel()
        for module in model.modules()
        if not isinstance(module, tables)
        for parameter in module.parameters(recurse=False)
    )
