"""A step of a plan, and how to tell that it is done: by whole files, never by their mere names."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple

from analysis.manifest import MANIFEST
from durable.whole import write_whole

TRAIN, ATTRIBUTE, PERTURB, TABLE, REPORT = KINDS = (
    "train",
    "attribute",
    "perturb",
    "table",
    "report",
)
ARCHIVE, METRICS = "model.tar.gz", "metrics.json"
# Written last into a run folder. AllenNLP writes an archive in place, and leaves one when it is
# interrupted; a killed training can leave half of one.
FINISHED = "finished.json"
# Beside the tables: which of them are made, from what.
RECORDS = ".steps"
PAGE = "report.html"


@dataclass(frozen=True)
class Step:
    """
    name : unlike any other's, and fit for the name of a file.
    about : which run or table, for people.
    seeds_of : what all seeds of a run have in common, for pictures.
    commands : arguments of `python`, one command after another.
    outputs : train: the run folder; attribute and perturb: the file of each command; table and
        report: the folder of results.
    needs : names of the steps before.
    identity : hash of what decides the result.
    seconds : about how long it takes.
    config : of a training.
    """

    name: str
    kind: str
    about: str
    seeds_of: str
    commands: Tuple[Tuple[str, ...], ...]
    outputs: Tuple[str, ...]
    needs: Tuple[str, ...]
    identity: str
    seconds: float = 0.0
    config: Optional[Dict[str, Any]] = field(default=None, compare=False)

    @property
    def told(self) -> str:
        """For people."""
        return self.about if self.kind == REPORT else f"{self.kind} {self.about}"

    @property
    def table(self) -> str:
        """Its name within a folder of results."""
        return self.about.split(" ")[0]

    @property
    def folder(self) -> Path:
        return Path(self.outputs[0])

    @property
    def is_done(self) -> bool:
        if self.kind == TRAIN:
            return self._is_trained()
        if self.kind in (ATTRIBUTE, PERTURB):
            return not self.missing
        return self._is_recorded()

    @property
    def missing(self) -> Tuple[str, ...]:
        """Outputs that are no files yet. They are written under another name until they are whole."""
        return tuple(output for output in self.outputs if not Path(output).is_file())

    def record(self, seconds: float, made: Sequence[str] = ()) -> None:
        """
        That it is done, after everything else was written.

        # Parameters

        seconds : `float`
            What was made took that long.
        made : `Sequence[str]`
            Outputs that were not there before; the rest is another study's work, and on record.
        """
        records = [self._record(output) for output in made or self.outputs]
        content: Dict[str, Any] = {
            "seconds": round(seconds / len(records), 1),
            "estimate": self.seconds / len(self.outputs),
        }
        if self.kind == TRAIN:
            content["sizes"] = {
                name: (self.folder / name).stat().st_size for name in (ARCHIVE, METRICS)
            }
        elif self.kind in (TABLE, REPORT):
            content["identity"] = self.identity
        for record in records:
            record.parent.mkdir(parents=True, exist_ok=True)
            write_whole(record, json.dumps(content))

    @property
    def took(self) -> Optional[Tuple[float, float]]:
        """Seconds, and what was thought before; None if it is not done, or nobody knows."""
        if not self.is_done:
            return None
        records = [read_json(self._record(output)) for output in self.outputs]
        if any(record is None or "seconds" not in record for record in records):
            return None
        return tuple(sum(record[key] for record in records) for key in ("seconds", "estimate"))

    def _record(self, output: str) -> Path:
        if self.kind == TRAIN:
            return Path(output) / FINISHED
        if self.kind in (ATTRIBUTE, PERTURB):
            return Path(output).parent / RECORDS / f"{Path(output).name}.json"
        return record_of_table(Path(output), self.kind, self.table)

    def _is_trained(self) -> bool:
        finished = read_json(self._record(self.outputs[0]))
        if finished is None:
            return False
        return all(
            (self.folder / name).is_file() and (self.folder / name).stat().st_size == size
            for name, size in finished["sizes"].items()
        )

    def _is_recorded(self) -> bool:
        record = read_json(self._record(self.outputs[0]))
        if record is None or record["identity"] != self.identity:
            return False
        if self.kind == REPORT:
            return (self.folder / PAGE).is_file()
        return self._has_all_that_is_listed()

    def _has_all_that_is_listed(self) -> bool:
        if self.commands[0][-1].endswith(".csv"):
            return Path(self.commands[0][-1]).is_file()
        manifest = read_json(self.folder / MANIFEST)
        return manifest is not None and all(
            (self.folder / name).is_file()
            for entry in manifest["entries"]
            for name in entry["files"].values()
        )


def record_of_table(folder: Path, kind: str, name: str) -> Path:
    return folder / RECORDS / f"{kind}-{name}.json"


def read_json(path: Path) -> Any:
    """None if there is none."""
    with suppress(OSError, ValueError):
        return json.loads(path.read_text(encoding="utf-8"))
    return None
