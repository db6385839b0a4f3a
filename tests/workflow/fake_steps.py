"""Plans of steps that take no time: each writes a file, or fails as it is told."""

from pathlib import Path
from typing import Dict, Sequence

from attention_explain.workflow.kinds import (
    ATTRIBUTE,
    TABLE,
    TRAIN,
    FileCommand,
    FilesStep,
    TableStep,
    TrainStep,
)
from attention_explain.workflow.plan import Folders, Plan
from attention_explain.workflow.steps import Step
from attention_explain.workflow.study import Study

WRITES = "import pathlib, sys; pathlib.Path(sys.argv[1]).open('a').write('x')"
FAILS = "raise ValueError('no luck with ' + __import__('sys').argv[1])"


def fake_step(folder: Path, name: str, needs: Sequence[str] = (), code: str = WRITES) -> Step:
    folder.mkdir(parents=True, exist_ok=True)
    file = str(folder / f"{name}.csv")
    return TableStep(
        **named(TABLE, name),
        needs=tuple(needs),
        seconds=1.0,
        folder=str(folder),
        result=name,
        command=("-c", code, file),
        file=file,
    )


def fake_training(folder: Path) -> TrainStep:
    return TrainStep(**named(TRAIN, "x"), folder=str(folder), config_file="", config={})


def fake_files(outputs: Sequence[str], seconds: float = 0.0) -> FilesStep:
    files = tuple(FileCommand(str(output), ()) for output in outputs)
    return FilesStep(**named(ATTRIBUTE, "x"), seconds=seconds, files=files)


def fake_table(folder: Path, name: str, command: Sequence[str] = ()) -> TableStep:
    """Its files stand in the manifest of the folder."""
    return TableStep(**named(TABLE, name), folder=str(folder), result=name, command=tuple(command))


def named(kind: str, name: str) -> Dict[str, str]:
    return {"kind": kind, "name": name, "about": name, "group": name, "identity": name}


def fake_plan(folder: Path, steps: Sequence[Step]) -> Plan:
    study = Study("fake", "Fake", "full", (), (1,), {}, ())
    by_name: Dict[str, Step] = {step.name: step for step in steps}
    folders = Folders(folder / "runs", folder / "results")
    return Plan(study, folders, folder / "results" / "fake", by_name)
