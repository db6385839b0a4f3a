"""
What a study tells: a line an event while it runs, and at its end what there is to open, or what
failed, why, and which log has it all.
"""

import time
from pathlib import Path
from typing import Dict, List, Set

from attention_explain.messages.durations import in_words
from attention_explain.workflow.events import DONE, FAILED, STARTED, Events, last_error
from attention_explain.workflow.kinds import KINDS, ReportStep
from attention_explain.workflow.plan import Plan
from attention_explain.workflow.steps import Step


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
