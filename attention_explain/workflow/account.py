"""
What a study took, and on which machine: `study.json` beside its tables, for whoever wants to do it
again, or to know whether that is worth it.
"""

import os
import platform
import sys
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Dict, Iterable

from attention_explain.files.records import Damaged, read_json, read_record, write_record
from attention_explain.workflow.kinds import KINDS, ResultsStep, TrainStep
from attention_explain.workflow.plan import Plan
from attention_explain.workflow.steps import Step
from attention_explain.workflow.training_state import is_recovered

NAME = "study.json"
PACKAGES = ("allennlp", "entmax", "torch")
GIBIBYTE = 2**30


class Clock:
    """
    The time that all starts of a study have taken until it was done, less that of one that was killed,
    and of those that only made tables again, as a changed `analysis/` has it.

    state : the folder of the study's state.
    """

    def __init__(self, state: Path, steps: Iterable[Step]) -> None:
        self.path = state / "elapsed.json"
        self.earlier = _seconds(self.path)
        left = [step for step in steps if not step.is_done]
        results_alone = all(isinstance(step, ResultsStep) for step in left)
        self.counts = not self.earlier or not results_alone
        self.begun = time.time()

    def stop(self) -> float:
        """Seconds, with earlier starts."""
        elapsed = self.earlier + (time.time() - self.begun if self.counts else 0.0)
        write_record(self.path, {"seconds": elapsed})
        return elapsed


def _seconds(path: Path) -> float:
    """Of earlier starts; older versions have written the bare number."""
    with suppress(OSError, ValueError):
        number = read_json(path.read_bytes())
        if isinstance(number, float):
            return number
    try:
        record = read_record(path)
        seconds = 0.0 if record is None else record.get("seconds")
        if isinstance(seconds, (int, float)):
            return seconds
        raise Damaged(f"{path}: is damaged: it has no seconds")
    except Damaged as error:
        print(f"{error}; what earlier starts took is not known", file=sys.stderr)
        return 0.0


def write_account(plan: Plan, command: str, cores: int, gpus: int, elapsed: float) -> None:
    write_record(plan.results / NAME, account(plan, command, cores, gpus, elapsed), indent=1)


def account(plan: Plan, command: str, cores: int, gpus: int, elapsed: float) -> Dict[str, Any]:
    steps = list(plan.steps.values())
    runs = [step for step in steps if isinstance(step, TrainStep)]
    seconds = {
        kind: round(sum(step.took[0] for step in steps if step.kind == kind and step.took))
        for kind in KINDS
    }
    return {
        "title": plan.study.title,
        "command": command,
        "corpora": list(dict.fromkeys(key.corpus for key in plan.study.runs)),
        "seeds": sorted({key.seed for key in plan.study.runs}),
        "limit": plan.limit,
        "runs": len(runs),
        "recovered": sum(is_recovered(Path(run.folder)) for run in runs),
        # On one core each, those of other studies included.
        "seconds": seconds,
        "cores": cores,
        "gpus": gpus,
        "elapsed": round(elapsed),
        "machine": machine(),
        "versions": {package: version(package) for package in PACKAGES},
        "finished": time.strftime("%Y-%m-%d"),
    }


def machine() -> Dict[str, Any]:
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
