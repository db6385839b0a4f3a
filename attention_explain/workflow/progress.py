"""
What a study tells: a line an event while it runs, and at its end what there is to open, or what
failed, why, and which log has it all.
"""

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Set

from attention_explain.files.records import Damaged, read_record, write_record
from attention_explain.messages import in_words
from attention_explain.workflow.kinds import KINDS, ReportStep
from attention_explain.workflow.plan import Plan
from attention_explain.workflow.steps import Step

DONE, FAILED, STARTED = "done", "failed", "started"
ERROR = re.compile(r"(error: |message: |([\w.]+\.)?\w*(Error|Exception|Interrupt|Killed)\b)")


@dataclass(frozen=True)
class Events:
    """
    folder : the state of the study, with a folder for each kind of event.
    """

    folder: Path

    def started(self, step: Step) -> None:
        (self.folder / FAILED / step.name).unlink(missing_ok=True)
        self._write(STARTED, step, {"time": time.time()})

    def done(self, step: Step) -> None:
        (self.folder / FAILED / step.name).unlink(missing_ok=True)
        self._write(DONE, step, {"time": time.time()})

    def failed(self, step: Step, code: int) -> None:
        self._write(FAILED, step, {"code": code, "why": last_error(self.log(step), code)})

    def log(self, step: Step) -> Path:
        return self.folder / "logs" / f"{step.name}.log"

    def of(self, kind: str) -> Dict[str, Any]:
        """By the name of the step."""
        paths = sorted((self.folder / kind).glob("[!.]*"))
        return {path.name: _read(path) for path in paths}

    def clear(self) -> None:
        for kind in (DONE, FAILED, STARTED):
            for path in (self.folder / kind).glob("*"):
                path.unlink(missing_ok=True)

    def _write(self, kind: str, step: Step, content: Dict[str, Any]) -> None:
        path = self.folder / kind / step.name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_record(path, content)


def _read(path: Path) -> Dict[str, Any]:
    """That it happened is known, even if no more is."""
    with suppress(Damaged):
        return read_record(path) or {}
    return {}


def last_error(log: Path, code: Optional[int]) -> str:
    """The line that says why, as well as can be told."""
    if code is not None and code > 128:
        return f"killed by signal {code - 128}"
    lines: List[str] = []
    if log.is_file():
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file if line.strip()]
    for line in reversed(lines):
        if ERROR.match(line):
            return line.removeprefix("error: ").removeprefix("message: ")
    return lines[-1] if lines else f"exit code {code}"


class Progress:
    """
    every : all steps of the plan; `pending` are those that are left of them.
    """

    def __init__(
        self, every: Dict[str, Step], pending: Dict[str, Step], events: Events, cores: int
    ) -> None:
        self.every = every
        self.pending = pending
        self.events = events
        self.cores = cores
        self.begun = time.time()
        self.told: Set[str] = set()

    def tell(self) -> None:
        for kind in (DONE, FAILED):
            for name, event in self.events.of(kind).items():
                if name in self.told or name not in self.pending:
                    continue
                self.told.add(name)
                step = self.pending[name]
                if kind == DONE:
                    said = f"{KINDS[step.kind].done} {step.about}{self._left()}"
                else:
                    said = f"FAILED: {step.told}: {event.get('why', '')}"
                print(f"[{self._done()} of {len(self.every)}] {said}", flush=True)

    def _done(self) -> int:
        return len(self.every) - len(self.pending) + len(self.events.of(DONE))

    def _left(self) -> str:
        """By how long the done part of the work was thought to take, and took."""
        done = sum(self.pending[name].seconds for name in self.events.of(DONE))
        left = sum(step.seconds for step in self.pending.values()) - done
        if left < 1 or not done:
            return ""
        return f"; about {in_words((time.time() - self.begun) * left / done)} to go"


def summary(plan: Plan, pending: Dict[str, Step], events: Events, engine_log: Path) -> str:
    missing = [step for step in pending.values() if not step.is_done]
    pages = [step for step in plan.steps.values() if isinstance(step, ReportStep)]
    reports = [step.page for step in pages if step.is_done]
    lines = ["", *(f"open {report}" for report in reports)]
    if not missing:
        return "\n".join(lines)
    failed = events.of(FAILED)
    started = events.of(STARTED)
    why = [step for step in missing if step.name in failed or step.name in started]
    for step in why:
        known = failed.get(step.name)
        reason = known.get("why", "nobody knows why") if known is not None else "was stopped"
        lines.append(f"failed: {step.told}: {reason}")
        lines.append(f"        {events.log(step)}")
    rest = [step for step in missing if step not in why]
    if rest:
        lines.append(f"not done because of that: {_listed(rest)}")
    if not why:
        lines.append(f"the engine stopped: {last_error(engine_log, None)}")
        lines.append(f"        {engine_log}")
    lines += [
        f"{step.page} lacks what is not done"
        for step in pages
        if step in missing and step.page.is_file()
    ]
    lines.append("The same command does what is left.")
    return "\n".join(lines)


def _listed(steps: List[Step], most: int = 6) -> str:
    named = [step.told for step in steps[:most]]
    more = len(steps) - most
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")
