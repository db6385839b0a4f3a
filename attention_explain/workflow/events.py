"""What has become of each step of a study that is running: small files, so that it can be told from
any process, here or on another machine."""

import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

from attention_explain.files.records import Damaged, read_record, write_record
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
