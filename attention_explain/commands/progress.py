"""What the user sees of running jobs: a progress bar over one job or over several, and a report at the end."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from allennlp.common import Tqdm


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
