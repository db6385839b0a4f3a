"""
Killed at any moment, a command goes on when it is given again, and ends with what an unbroken one ends
with; nothing else is left.
"""

import random
import shutil
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import pytest

from tests.faults.commands import Ended, Zygote, leftovers
from tests.faults.jobs import JOBS, TRAIN_PLANTED, Job, Outputs

pytestmark = pytest.mark.faults
# Of each job, at random moments; and that number at most one after another before it may end.
KILLS = 10
CHAIN = 4
# The tries before a test gives up: on a machine whose speed changes, some come after the end.
TRIES = 5 * KILLS


class Broken:
    """
    A job in a folder of its own, which is killed as often as one likes.

    before, unbroken : the outputs of the folder as it was, and of a job that nothing happened to.
    """

    def __init__(self, job: Job, zygote: Zygote, inputs: Path, folder: Path, unbroken: Outputs):
        shutil.copytree(inputs, folder)
        self.job, self.zygote, self.folder, self.unbroken = job, zygote, folder, unbroken
        self.before = {} if not job.whole else job.outputs(folder)
        self.options: Tuple[str, ...] = ()

    def killed(self, **when: Any) -> bool:
        """False if it ended before the kill."""
        ended = self.zygote.run((*self.job.command, *self.options), self.folder, **when)
        if not ended.killed:
            if ended.code and not self._is_done(ended):
                self.options = self._advised(ended)
            return False
        if self.job.whole:
            for name, content in self.job.outputs(self.folder).items():
                assert content in (self.before.get(name), self.unbroken.get(name)), name
        return True

    def finished(self) -> str:
        """The options that it took to end well; everything is then as it has to be."""
        ended = self.zygote.run((*self.job.command, *self.options), self.folder)
        while ended.code and not self._is_done(ended):
            self.options = self._advised(ended)
            ended = self.zygote.run((*self.job.command, *self.options), self.folder)
        assert self.job.outputs(self.folder) == self.unbroken
        assert not leftovers(self.folder)
        shutil.rmtree(self.folder)
        return "it was done" if ended.code else " ".join(self.options) or "nothing"

    @staticmethod
    def _is_done(ended: Ended) -> bool:
        """Rejected because nothing is left to do."""
        return any(words in ended.sentence for words in ("exists already", "a finished training"))

    def _advised(self, ended: Ended) -> Tuple[str, ...]:
        """What the sentence with which it was rejected says to give."""
        assert ended.code == 2 and "Traceback" not in ended.err, ended.said
        left = self.job.again[self.job.again.index(self.options) + 1 :]
        named = [options for options in left if options[0] in ended.sentence]
        assert named, ended.said
        return named[0]


@pytest.fixture(params=JOBS, ids=lambda job: job.name)
def job(request) -> Job:
    return request.param


@pytest.fixture
def unbroken(job, zygote, inputs, tmp_path) -> Tuple[Ended, Outputs]:
    folder = Path(shutil.copytree(inputs, tmp_path / "unbroken"))
    ended = zygote.run(job.command, folder)
    assert ended.code == 0, ended.said
    return ended, job.outputs(folder)


def moments(job: Job, ended: Ended) -> Iterator[Dict[str, Any]]:
    """Before each operation; of files that are written in place, also in the middle of a write."""
    for number in range(1, len(ended.operations) + 1):
        yield {"kill_before": number}
        if not job.whole and number > 1 and ended.operations[number - 2].startswith("open"):
            yield {"kill_before": number, "cut": True}


def test_killed_before_each_operation_on_files(job, zygote, inputs, unbroken, tmp_path, figures):
    ended, outputs = unbroken
    kills, options = 0, Counter()
    for number, moment in enumerate(moments(job, ended)):
        broken = Broken(job, zygote, inputs, tmp_path / str(number), outputs)
        kills += broken.killed(**moment)
        options[broken.finished()] += 1
    assert kills >= len(ended.operations) - 1
    tell(figures, job, "before each operation on files", kills, options)


def test_killed_at_random_moments(job, zygote, inputs, unbroken, tmp_path, figures):
    ended, outputs = unbroken
    draw = random.Random(job.name)
    kills, options = 0, Counter()
    for number in range(TRIES):
        broken = Broken(job, zygote, inputs, tmp_path / str(number), outputs)
        for _ in range(draw.randint(1, CHAIN)):
            if not broken.killed(seconds=draw.uniform(0, ended.seconds)):
                break
            kills += 1
        options[broken.finished()] += 1
        if kills >= KILLS:
            break
    assert kills >= KILLS
    tell(figures, job, "at random", kills, options)


def test_the_shipped_planted_config_killed_in_its_epochs(zygote, inputs, tmp_path, figures):
    folder = Path(shutil.copytree(inputs, tmp_path / "unbroken"))
    ended = zygote.run(TRAIN_PLANTED.command, folder)
    assert ended.code == 0, ended.said
    outputs = TRAIN_PLANTED.outputs(folder)
    broken = Broken(TRAIN_PLANTED, zygote, inputs, tmp_path / "killed", outputs)
    kills = 0
    for part in (0.4, 0.25, 0.25):
        seconds = part * ended.seconds
        # Rejected at first, it is given again as advised.
        kills += broken.killed(seconds=seconds) or broken.killed(seconds=seconds)
    assert kills
    tell(figures, TRAIN_PLANTED, "in its epochs", kills, Counter([broken.finished()]))


def tell(figures, job: Job, when: str, kills: int, options: Counter) -> None:
    went_on = ", ".join(f"{name} {count}" for name, count in sorted(options.items()))
    row = {"command": job.name, "killed": when, "kills": kills, "went on with": went_on}
    figures.setdefault("kills", []).append(row)
