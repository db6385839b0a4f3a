"""Plans of steps that take no time: each writes a file, or fails as it is told."""

from pathlib import Path
from typing import Dict, Sequence

from workflow.plan import Places, Plan
from workflow.steps import TABLE, Step
from workflow.study import Study

WRITES = "import pathlib, sys; pathlib.Path(sys.argv[1]).open('a').write('x')"
FAILS = "raise ValueError('no luck with ' + __import__('sys').argv[1])"


def fake_step(folder: Path, name: str, needs: Sequence[str] = (), code: str = WRITES) -> Step:
    folder.mkdir(parents=True, exist_ok=True)
    command = ("-c", code, str(folder / f"{name}.csv"))
    return Step(name, TABLE, name, name, (command,), (str(folder),), tuple(needs), name, 1.0)


def fake_plan(folder: Path, steps: Sequence[Step]) -> Plan:
    study = Study("fake", "Fake", "full", (), (1,), {}, ())
    by_name: Dict[str, Step] = {step.name: step for step in steps}
    places = Places(folder / "runs", folder / "results")
    return Plan(study, places, folder / "results" / "fake", by_name)
