"""Times two ways of doing the same thing against each other, in turns."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch


@dataclass
class Result:
    """What was compared, and the ratio of the straightforward way's time to ours."""

    name: str
    ours: float
    other: float
    # The ratio other / ours that is asked for.
    at_least: float | None = None
    note: str = ""
    # Of both numbers.
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.other / self.ours

    @property
    def missed(self) -> bool:
        return self.at_least is not None and self.ratio < self.at_least

    def __str__(self) -> str:
        asked = "" if self.at_least is None else f" (asked: at least {self.at_least:g})"
        met = "" if self.at_least is None else " MISSED" if self.missed else " ok"
        note = f"; {self.note}" if self.note else ""
        return (
            f"{self.name}: {self.ratio:.2f} x{asked}{met} "
            f"[ours {self.ours:.3f} {self.unit}, other {self.other:.3f} {self.unit}{note}]"
        )


@dataclass
class Count:
    """How many there are of something."""

    name: str
    number: int
    unit: str
    # The number that is asked for.
    at_most: int | None = None
    note: str = ""

    @property
    def missed(self) -> bool:
        return self.at_most is not None and self.number > self.at_most

    def __str__(self) -> str:
        asked = "" if self.at_most is None else f" (asked: at most {self.at_most})"
        met = "" if self.at_most is None else " MISSED" if self.missed else " ok"
        note = f" [{self.note}]" if self.note else ""
        return f"{self.name}: {self.number} {self.unit}{asked}{met}{note}"


def compare(
    name: str,
    ours: Callable[[], object],
    other: Callable[[], object],
    repeats: int = 5,
    at_least: float | None = None,
    note: str = "",
    clock: Callable[[], float] = time.perf_counter,
    warm_up: bool = True,
) -> Result:
    """
    The medians over `repeats` runs, taken in turns so that a busy moment hits both ways, after one
    run of each that does not count; without `warm_up`, of runs of many seconds, all count. `time.process_time` as clock, on one thread, is deaf to what
    else the machine does.
    """
    times = {ours: [], other: []}
    for repeat in range(repeats + warm_up):
        for way in (ours, other):
            start = clock()
            way()
            if repeat >= warm_up:
                times[way].append(clock() - start)
    return Result(
        name, statistics.median(times[ours]), statistics.median(times[other]), at_least, note
    )


@contextmanager
def one_thread() -> Iterator[None]:
    """For `time.process_time` as clock, which counts what waiting threads burn."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
