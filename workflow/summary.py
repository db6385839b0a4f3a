"""The end of a study: what there is to open, or what failed, why, and which log has it all."""

from pathlib import Path
from typing import Dict, List

from workflow.events import FAILED, STARTED, Events, last_error
from workflow.plan import Plan
from workflow.steps import PAGE, REPORT, Step


def summary(plan: Plan, pending: Dict[str, Step], events: Events, engine_log: Path) -> str:
    missing = [step for step in pending.values() if not step.is_done]
    reports = [
        step.folder / PAGE for step in plan.steps.values() if step.kind == REPORT and step.is_done
    ]
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
        lines.append(f"not done for their sake: {_listed(rest)}")
    if not why:
        lines.append(f"the engine stopped: {last_error(engine_log, None)}")
        lines.append(f"        {engine_log}")
    lines += [
        f"{step.folder / PAGE} lacks what is not done"
        for step in missing
        if step.kind == REPORT and (step.folder / PAGE).is_file()
    ]
    lines.append("The same command does what is left.")
    return "\n".join(lines)


def _listed(steps: List[Step], most: int = 6) -> str:
    named = [step.told for step in steps[:most]]
    more = len(steps) - most
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")
