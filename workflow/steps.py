"""A step of a plan, and how to tell that it is done: by whole files, never by their mere names."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from durable.damage import Damaged
from durable.records import read_record, write_record
from workflow.damage import (
    damaged_table,
    fingerprints,
    half_parquet,
    missing_file,
    other_file,
    other_size,
)

TRAIN, ATTRIBUTE, PERTURB, TABLE, REPORT = KINDS = (
    "train",
    "attribute",
    "perturb",
    "table",
    "report",
)
OF_A_RUN = ("config.json", "best.th", "metrics.json", "model.tar.gz")
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
        if self.kind in (ATTRIBUTE, PERTURB):
            return not self.missing
        record = self._read(self.outputs[0])
        if record is None or self.damage:
            return False
        return self.kind == TRAIN or record.get("identity") == self.identity

    @property
    def missing(self) -> Tuple[str, ...]:
        """Outputs that are no whole files. They have another name until they are written."""
        damaged = self.damage
        return tuple(
            output for output in self.outputs if output in damaged or not Path(output).is_file()
        )

    @property
    def damage(self) -> Dict[str, str]:
        """Which outputs are there, but not as they were written; and, in a sentence, why."""
        found = {output: self._damage(output) for output in self.outputs}
        return {output: sentence for output, sentence in found.items() if sentence}

    def record(self, seconds: float, made: Sequence[str] = ()) -> None:
        """
        That it is done, after everything else was written.

        # Parameters

        seconds : `float`
            What was made took that long.
        made : `Sequence[str]`
            Outputs that were not there before; the rest is another study's work, and on record.
        """
        outputs = made or self.outputs
        for output in outputs:
            content: Dict[str, Any] = {
                "seconds": round(seconds / len(outputs), 1),
                "estimate": self.seconds / len(self.outputs),
                "files": fingerprints(self._base(output), self._files(output)),
            }
            if self.kind in (TABLE, REPORT):
                content["identity"] = self.identity
            record = self._record(output)
            record.parent.mkdir(parents=True, exist_ok=True)
            write_record(record, content)

    @property
    def took(self) -> Optional[Tuple[float, float]]:
        """Seconds, and what was thought before; None if it is not done, or nobody knows."""
        if not self.is_done:
            return None
        records = [self._read(output) or {} for output in self.outputs]
        if not all(isinstance(record.get("seconds"), (int, float)) for record in records):
            return None
        return tuple(
            sum(record.get(key, 0) for record in records) for key in ("seconds", "estimate")
        )

    def _record(self, output: str) -> Path:
        if self.kind == TRAIN:
            return Path(output) / FINISHED
        if self.kind in (ATTRIBUTE, PERTURB):
            return Path(output).parent / RECORDS / f"{Path(output).name}.json"
        return record_of_table(Path(output), self.kind, self.table)

    def _read(self, output: str) -> Optional[Dict[str, Any]]:
        """The record, if there is a sound one."""
        with suppress(Damaged):
            return read_record(self._record(output))
        return None

    def _base(self, output: str) -> Path:
        """The folder of all its files."""
        return Path(output).parent if self.kind in (ATTRIBUTE, PERTURB) else Path(output)

    def _files(self, output: str) -> List[Path]:
        """What an output consists of; the manifest of a folder of tables knows its own files."""
        if self.kind == TRAIN:
            vocabulary = sorted(Path(output).glob("vocabulary/[!.]*"))
            return [*(Path(output) / name for name in OF_A_RUN), *vocabulary]
        if self.kind == REPORT:
            return [Path(output) / PAGE]
        if self.kind == TABLE:
            return [Path(self.commands[0][-1])] if self._is_one_file else []
        return [Path(output)]

    @property
    def _is_one_file(self) -> bool:
        return bool(self.commands) and self.commands[0][-1].endswith(".csv")

    def _damage(self, output: str) -> str:
        """Why it is not what was written; nothing if it is, or if it was never written."""
        path = self._record(output)
        try:
            record = read_record(path)
        except Damaged as error:
            # A parquet file knows itself whether it is whole, and does not need the record.
            return half_parquet(output) if self.kind in (ATTRIBUTE, PERTURB) else str(error)
        if self.kind in (ATTRIBUTE, PERTURB) and "files" not in (record or {}):
            return half_parquet(output)
        if record is None or (
            self.kind in (TABLE, REPORT) and record.get("identity") != self.identity
        ):
            return ""
        if self.kind == TABLE and not self._is_one_file:
            return damaged_table(self.folder, self.commands)
        if "files" not in record and "identity" in record:
            # Of an older version, as is the next.
            return missing_file(self._files(output))
        if isinstance(record.get("sizes"), dict):
            return other_size(Path(output), record["sizes"])
        return other_file(self._base(output), record.get("files"), path)


def record_of_table(folder: Path, kind: str, name: str) -> Path:
    return folder / RECORDS / f"{kind}-{name}.json"
