"""
Adds texts to the files of a verdict, in a random order and in growing steps, until the answer is decided, or the data or
the budget end. The files of a step are made next to those of the texts before, and then merged into them, so that
work that was killed continues with the same texts.
"""

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from attention_explain.commands.batches import TotalProgress
from attention_explain.commands.chunks import clear_merged
from attention_explain.commands.job import MADE_FROM
from attention_explain.commands.verdict_plan import FILES, Task, VerdictPlan
from attention_explain.errors import InputError
from attention_explain.files.records import DamagedFileError
from attention_explain.files.stopping import FIRST, Stop, Stopped, next_number, read_stopped

if TYPE_CHECKING:
    from analysis.verdict.interim import Interim

# In the folder of a verdict: the files of the texts that are being added.
STEP = "step"
MINUTE = 60.0


@dataclass(frozen=True)
class Work:
    """
    A task for some texts.

    before : the file of earlier texts; None if there is none.
    """

    task: Task
    folder: Path
    ids: Sequence[str]
    before: Path | None = None

    @property
    def seconds(self) -> float:
        """The expected time."""
        return self.task.seconds_for(len(self.ids))


class GrowingFiles:
    """
    The files of a verdict, each with the first texts of a random order.

    # Parameters

    plan : `VerdictPlan`
    folder : `Path`
        The folder of the verdict.
    force : `bool`
        Whether to replace files of other texts or options, and to delete other files.
    """

    def __init__(self, plan: VerdictPlan, folder: Path, force: bool) -> None:
        self.plan, self.folder, self.files = plan, folder, folder / FILES
        self._others: list[Path] = []
        self._texts: dict[str, int] = {}
        if force:
            self._others.append(folder / STEP)
        for task in plan.tasks:
            self._texts[task.name] = self._check(task, force)
        others = [path for path in self.files.glob("*.parquet") if path.name not in self._texts]
        if others and not force:
            raise InputError(
                f"{min(others)}: does not belong to this verdict. Give another folder, or --force to delete it."
            )
        self._others += others
        self.record = read_stopped(folder) if self.texts else Stopped()

    @property
    def texts(self) -> int:
        """The number of texts that all files have."""
        return min(self._texts.values())

    @property
    def available(self) -> int:
        """The number of texts that there are."""
        return len(self.plan.order)

    @property
    def missing(self) -> list[Task]:
        """The files to which texts can be added."""
        return [task for task in self.plan.tasks if self._texts[task.name] < self.available]

    def seconds_for(self, texts: int) -> float:
        """The expected time until all files have this number of texts."""
        return sum(
            task.seconds_for(max(texts - self._texts[task.name], 0)) for task in self.plan.tasks
        )

    def clear(self) -> None:
        """Delete what `force` replaces."""
        for path in self._others:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def grow(self, budget: float, interim: Callable[[], "Interim"]) -> Stopped:
        """
        Add texts until the answer is decided; returns why that ended.

        # Parameters

        budget : `float`
            In minutes, including the time of earlier runs. A step that would exceed it is not begun.
        interim : `Callable[[], Interim]`
            The decision so far.
        """
        # With a larger budget, the answer is asked for again.
        earlier = self.record.earlier + (self.record.why is not None)
        self.record = replace(self.record, available=self.available, seed=self.plan.seed)
        while (why := self._why_stop(budget, interim)) is None:
            start = time.perf_counter()
            self._add(self._next_number())
            spent = self.record.seconds + time.perf_counter() - start
            self.record = replace(
                self.record, why=None, texts=self.texts, seconds=spent, earlier=earlier
            )
            self.record.write(self.folder)
        self.record = replace(self.record, why=why, texts=self.texts)
        self.record.write(self.folder)
        return self.record

    def _next_number(self) -> int:
        most = max(self._texts.values())
        # Files that are behind the others are completed first.
        return most if self.texts < most else next_number(most, self.available)

    def _why_stop(self, budget: float, interim: Callable[[], "Interim"]) -> Stop | None:
        texts = self.texts
        if texts < min(max(FIRST, *self._texts.values()), self.available):
            return None
        if texts >= FIRST:
            so_far = interim()
            print(so_far, file=sys.stderr)
            if so_far.decided:
                return Stop.DECIDED
            if not so_far.more_texts_help:
                return Stop.MORE_DO_NOT_HELP
        if texts == self.available:
            return Stop.DATA
        number, spent = self._next_number(), self.record.seconds
        expected = spent / texts * (number - texts) if spent else self.seconds_for(number)
        return Stop.BUDGET if spent + expected > MINUTE * budget else None

    def _add(self, number: int) -> None:
        """Make the files of the next texts, and merge them into the others."""
        step, order = self.folder / STEP, self.plan.order
        behind = [task for task in self.plan.tasks if self._texts[task.name] < number]
        run(
            [
                work
                for task in behind
                for texts in [self._texts[task.name]]
                for before in [self.files / task.name if texts else None]
                for work in [Work(task, step, order[texts:number], before)]
                if not _is_finished(work)
            ]
        )
        self.files.mkdir(parents=True, exist_ok=True)
        for task in behind:
            files = [self.files / task.name] if self._texts[task.name] else []
            job = task.job(self.files, order[:number])
            job.merge([*files, step / task.name], task.read)
            self._texts[task.name] = number
        shutil.rmtree(step)

    def _check(self, task: Task, force: bool) -> int:
        """The number of texts of an existing file; 0 if there is none, or if it is to be replaced."""
        output = self.files / task.name
        if not output.exists():
            return 0
        different = self._differences(task, output, force)
        if different and not force:
            raise InputError(
                f"{output}: was made with other {' and '.join(different)}. Give another folder, or "
                "--force to make it again."
            )
        if different:
            return 0
        clear_merged(output)
        return self._number(task, output)

    def _differences(self, task: Task, output: Path, force: bool) -> list[str]:
        try:
            number = self._number(task, output)
            if task.reads is not None and not self._texts[task.reads]:
                return ["scores"]
            different = task.job(self.files, self.plan.order[:number]).differences()
            # The run was killed after the texts of a step were merged into the file that it reads.
            merging = task.reads is not None and number < self._texts[task.reads]
            if merging and (self.folder / STEP / task.name).exists():
                different = [each for each in different if each != MADE_FROM]
            return different
        except KeyError:
            return ["content"]
        except DamagedFileError as error:
            if force:
                return ["content"]
            raise InputError(f"{error}. Give --force to make it again.") from error

    @staticmethod
    def _number(task: Task, output: Path) -> int:
        return int(task.kind.format.read_metadata(output)["instances"])


def _is_finished(work: Work) -> bool:
    """Whether the file of a step exists; one of other options is removed."""
    output = work.folder / work.task.name
    if not output.exists():
        return False
    if not work.task.job(work.folder, work.ids).differences():
        return True
    output.unlink()
    return False


def run(several: Sequence[Work], reports: bool = True) -> None:
    """Run the jobs under one progress bar; with `reports`, each prints a line at its end."""
    if not several:
        return
    progress = TotalProgress([work.seconds for work in several], reports)
    try:
        for index, work in enumerate(several):
            job = work.task.job(work.folder, work.ids)
            if work.before is not None:
                job.continue_from(work.before)
            job.run(progress.of_job(index))
    finally:
        progress.close()
