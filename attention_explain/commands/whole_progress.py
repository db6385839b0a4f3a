"""One progress over several jobs, each of which has the share that it is thought to take."""

import sys
from typing import Any, Sequence

from allennlp.common import Tqdm

from attention_explain.commands.batches import MakeBar


class WholeProgress:
    """
    # Parameters

    seconds : `Sequence[float]`
        What each of the jobs may take, in their order.
    """

    def __init__(self, seconds: Sequence[float]) -> None:
        self._seconds = seconds
        self._bar = Tqdm.tqdm(
            total=sum(seconds), bar_format="{desc}{percentage:3.0f}%|{bar}| {elapsed}<{remaining}"
        )

    def of_job(self, place: int) -> MakeBar:
        """Makes what shows the progress of that job."""

        def make_bar(tokens: int, done: int, description: str) -> "_Share":
            self._bar.set_description(f"{place + 1} of {len(self._seconds)}, {description}")
            before = sum(self._seconds[:place])
            return _Share(self._bar, before, self._seconds[place] / tokens, done)

        return make_bar

    def write(self, line: str) -> None:
        self._bar.write(line, file=sys.stderr)

    def close(self) -> None:
        self._bar.close()


class _Share:
    """Tokens of one job, as they are counted in the whole."""

    def __init__(self, bar: Any, before: float, a_token: float, done: int) -> None:
        self.n: float = 0
        self._bar, self._before, self._a_token = bar, before, a_token
        # What was done before this began says nothing of how fast it goes.
        bar.initial += done * a_token
        self.update(done)

    def update(self, tokens: float) -> None:
        self.n += tokens
        # Sums of parts can come out above the whole.
        reached = min(self._before + self.n * self._a_token, self._bar.total)
        self._bar.update(reached - self._bar.n)

    def write(self, line: str, file: Any) -> None:
        self._bar.write(line, file=file)

    def close(self) -> None:
        """The next job goes on with the same bar."""
