"""How far a study is, a line an event."""

import time
from typing import Dict, Set

from workflow import costs
from workflow.events import DONE, FAILED, Events
from workflow.steps import Step

VERBS = {
    "train": "trained",
    "attribute": "attributed",
    "perturb": "perturbed",
    "table": "made the table",
    "report": "wrote the",
}


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
                    said = f"{VERBS[step.kind]} {step.about}{self._left()}"
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
        return f"; about {costs.told((time.time() - self.begun) * left / done)} to go"
