"""
The progress of a study: events of its steps as small files, which processes on all machines can write and
read; the lines printed while it runs and at its end; `study.json`, the account of time and machine; and
whether an interrupted training can continue.
"""

import os
import platform
import re
import shutil
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from attention_explain.files.records import DamagedFileError, read_json, read_record, write_record
from attention_explain.messages import in_words
from attention_explain.workflow.kinds import KINDS, ReportStep, ResultsStep, TrainStep
from attention_explain.workflow.plan import Plan
from attention_explain.workflow.steps import Step
from attention_explain.workflow.study import StudyError

DONE, FAILED, STARTED = "done", "failed", "started"
ERROR = re.compile(r"(error: |message: |([\w.]+\.)?\w*(Error|Exception|Interrupt|Killed)\b)")
ACCOUNT = "study.json"
PACKAGES = ("allennlp", "entmax", "torch")
GIBIBYTE = 2**30


@dataclass(frozen=True)
class Events:
    """
    The events of a study.

    folder : the state of the study, with a subfolder for each kind of event.
    """

    folder: Path

    def started(self, step: Step) -> None:
        """Record that a step has started."""
        (self.folder / FAILED / step.name).unlink(missing_ok=True)
        self._write(STARTED, step, {"time": time.time()})

    def done(self, step: Step) -> None:
        """Record that a step is done."""
        (self.folder / FAILED / step.name).unlink(missing_ok=True)
        self._write(DONE, step, {"time": time.time()})

    def failed(self, step: Step, code: int) -> None:
        """Record that a step has failed, with the reason from its log."""
        self._write(FAILED, step, {"code": code, "why": last_error(self.log(step), code)})

    def log(self, step: Step) -> Path:
        """The log file of a step."""
        return self.folder / "logs" / f"{step.name}.log"

    def of(self, kind: str) -> dict[str, Any]:
        """All events of a kind, by step name."""
        paths = sorted((self.folder / kind).glob("[!.]*"))
        return {path.name: _read_event(path) for path in paths}

    def clear(self) -> None:
        """Remove all events."""
        for kind in (DONE, FAILED, STARTED):
            for path in (self.folder / kind).glob("*"):
                path.unlink(missing_ok=True)

    def _write(self, kind: str, step: Step, content: dict[str, Any]) -> None:
        path = self.folder / kind / step.name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_record(path, content)


def _read_event(path: Path) -> dict[str, Any]:
    # The file itself is the event, even if its content is damaged.
    with suppress(DamagedFileError):
        return read_record(path) or {}
    return {}


def last_error(log: Path, code: int | None) -> str:
    """The last error in a log, or its last line."""
    if code is not None and code > 128:
        return f"killed by signal {code - 128}"
    lines: list[str] = []
    if log.is_file():
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
    for line in reversed(lines):
        if ERROR.match(line):
            return line.removeprefix("error: ").removeprefix("message: ")
    return lines[-1] if lines else f"exit code {code}"


class Progress:
    """
    Prints a line for every step that ends.

    steps : all steps of the plan.
    pending : the steps that were not done at the start.
    """

    def __init__(
        self, steps: dict[str, Step], pending: dict[str, Step], events: Events, cores: int
    ) -> None:
        self.steps = steps
        self.pending = pending
        self.events = events
        self.cores = cores
        self.start = time.time()
        self.reported: set[str] = set()

    def report(self) -> None:
        """Print the steps that have ended since the last call."""
        for kind in (DONE, FAILED):
            for name, event in self.events.of(kind).items():
                if name in self.reported or name not in self.pending:
                    continue
                self.reported.add(name)
                step = self.pending[name]
                if kind == DONE:
                    line = f"{KINDS[step.kind].done} {step.about}{self._remaining()}"
                else:
                    line = f"FAILED: {step.description}: {event.get('why', '')}"
                print(f"[{self._done()} of {len(self.steps)}] {line}", flush=True)

    def _done(self) -> int:
        return len(self.steps) - len(self.pending) + len(self.events.of(DONE))

    def _remaining(self) -> str:
        """The remaining time, extrapolated from the steps that are done."""
        done = sum(self.pending[name].seconds for name in self.events.of(DONE))
        left = sum(step.seconds for step in self.pending.values()) - done
        if left < 1 or not done:
            return ""
        return f"; about {in_words((time.time() - self.start) * left / done)} to go"


def summary(plan: Plan, pending: dict[str, Step], events: Events, engine_log: Path) -> str:
    """The pages to open; or what failed, why, and the log files."""
    missing = [step for step in pending.values() if not step.is_done]
    pages = [step for step in plan.steps.values() if isinstance(step, ReportStep)]
    lines = ["", *(f"open {step.page}" for step in pages if step.is_done)]
    if not missing:
        return "\n".join(lines)
    failed = events.of(FAILED)
    started = events.of(STARTED)
    ended = [step for step in missing if step.name in failed or step.name in started]
    for step in ended:
        event = failed.get(step.name)
        reason = "was stopped" if event is None else event.get("why", "for an unknown reason")
        lines.append(f"failed: {step.description}: {reason}")
        lines.append(f"        {events.log(step)}")
    skipped = [step for step in missing if step not in ended]
    if skipped:
        lines.append(f"not done because of that: {_join(skipped)}")
    if not ended:
        lines.append(f"the engine stopped: {last_error(engine_log, None)}")
        lines.append(f"        {engine_log}")
    lines += [
        f"{step.page} lacks what is not done"
        for step in pages
        if step in missing and step.page.is_file()
    ]
    lines.append("The same command does what is left.")
    return "\n".join(lines)


def _join(steps: list[Step], most: int = 6) -> str:
    names = [step.description for step in steps[:most]]
    more = len(steps) - most
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


class Clock:
    """
    The time that a study has taken over all its starts. Starts that were killed do not count, nor do those
    that only made tables again after a change of `analysis/`.

    state : the folder of the study's state.
    """

    def __init__(self, state: Path, steps: Iterable[Step]) -> None:
        self.path = state / "elapsed.json"
        self.earlier = _earlier_seconds(self.path)
        left = [step for step in steps if not step.is_done]
        only_results = all(isinstance(step, ResultsStep) for step in left)
        self.counts = not self.earlier or not only_results
        self.start = time.time()

    def stop(self) -> float:
        """Record and return the seconds, earlier starts included."""
        elapsed = self.earlier + (time.time() - self.start if self.counts else 0.0)
        write_record(self.path, {"seconds": elapsed})
        return elapsed


def _earlier_seconds(path: Path) -> float:
    try:
        record = read_record(path)
        seconds = 0.0 if record is None else record.get("seconds")
        if isinstance(seconds, (int, float)):
            return seconds
        raise DamagedFileError(f"{path}: is damaged: it has no seconds")
    except DamagedFileError as error:
        print(f"{error}; the time of earlier starts is not known", file=sys.stderr)
        return 0.0


def write_account(plan: Plan, command: str, cores: int, gpus: int, elapsed: float) -> None:
    """Write time, machine and versions of a finished study next to its tables."""
    steps = list(plan.steps.values())
    runs = [step for step in steps if isinstance(step, TrainStep)]
    seconds = {
        kind: round(sum(step.times[0] for step in steps if step.kind == kind and step.times))
        for kind in KINDS
    }
    account = {
        "title": plan.study.title,
        "command": command,
        "corpora": list(dict.fromkeys(key.corpus for key in plan.study.runs)),
        "seeds": sorted({key.seed for key in plan.study.runs}),
        "limit": plan.limit,
        "runs": len(runs),
        "recovered": sum(is_recovered(Path(run.folder)) for run in runs),
        # On one core each; steps that other studies have done are included.
        "seconds": seconds,
        "cores": cores,
        "gpus": gpus,
        "elapsed": round(elapsed),
        "machine": machine(),
        "versions": {package: version(package) for package in PACKAGES},
        "finished": time.strftime("%Y-%m-%d"),
    }
    write_record(plan.results / ACCOUNT, account, indent=1)


def machine() -> dict[str, Any]:
    """Processor, cores, memory and Python of this machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": f"{memory / GIBIBYTE:.0f} GiB",
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


STATES = re.compile(r"(model|training)_state_e(\d+)_b(\d+)\.th")
BEST = "best.th"
CONFIG = "config.json"
# The file that training leaves if it was recovered from a checkpoint without the state for exact recovery.
RECOVERED = "recovered"


def prepare_training(folder: Path, config: dict[str, Any]) -> bool:
    """
    Prepare the folder for `allennlp train`; returns whether to pass `--recover`. Incomplete checkpoints are
    removed. Without a complete one, training starts again from the beginning.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return False
    _drop_incomplete(folder)
    config_file = _read_config(folder / CONFIG)
    if not _states(folder) or not _is_complete(folder / BEST) or config_file is None:
        shutil.rmtree(folder)
        return False
    if config_file != config:
        raise StudyError(
            f"{folder}: training was started with the same settings but other paths; delete the folder, or "
            "finish training with the original paths"
        )
    return True


def _read_config(path: Path) -> Any:
    """The config; None if it is missing or damaged."""
    with suppress(OSError, ValueError):
        return read_json(path.read_bytes())
    return None


def is_recovered(folder: Path) -> bool:
    """Whether the weights may differ from those of an uninterrupted training."""
    return (folder / RECOVERED).exists()


def drop_checkpoints(folder: Path) -> None:
    """Remove the checkpoints of a finished run; `best.th` and the archive have its best weights."""
    for path in _states(folder):
        path.unlink()


def _states(folder: Path) -> dict[Path, tuple[str, str]]:
    """The files of checkpoints, with epoch and batch."""
    names = {path: STATES.fullmatch(path.name) for path in folder.iterdir()}
    return {path: (name[2], name[3]) for path, name in names.items() if name is not None}


def _drop_incomplete(folder: Path) -> None:
    """Remove checkpoints whose two files are not both complete."""
    states = _states(folder)
    complete = Counter(point for path, point in states.items() if _is_complete(path))
    best = folder / BEST
    for path, point in states.items():
        if complete[point] < 2:
            if best.exists() and best.samefile(path):
                # The epoch will be trained again.
                best.unlink()
            path.unlink()


def _is_complete(path: Path) -> bool:
    """torch saves zip archives, which end with a list of contents."""
    return path.is_file() and zipfile.is_zipfile(path)
