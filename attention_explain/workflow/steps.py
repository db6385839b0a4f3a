"""The base class of all steps of a plan. A step is done if its files are complete, not if they merely exist."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention_explain.files.records import (
    DamagedFileError,
    fingerprint,
    is_unchanged,
    read_record,
    write_record,
)


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """
    One step of a plan.

    kind : one of `KINDS`.
    name : unique, and valid as a file name.
    about : the run or table, for people.
    group : what all seeds of a run have in common, for the graph.
    identity : hash of everything that decides the result.
    needs : names of the steps that come first.
    seconds : estimated time.
    """

    kind: str
    name: str
    about: str
    group: str
    identity: str
    needs: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    @abstractmethod
    def outputs(self) -> tuple[str, ...]:
        """Files or folders, each with a record of its own."""

    @abstractmethod
    def commands(self, missing: Sequence[str], options: Sequence[str]) -> list[list[str]]:
        """
        Arguments of `python` for each process that makes missing outputs. `options` are added to `allennlp`
        commands.
        """

    @abstractmethod
    def record_of(self, output: str) -> Path:
        """The file that records an output."""

    @abstractmethod
    def files_of(self, output: str) -> list[Path]:
        """The files of an output."""

    @abstractmethod
    def clear(self, output: str) -> None:
        """Remove a damaged output, so that the command that makes it again does not find it."""

    def lock_names(self, runs: Path) -> list[str]:
        """A name for each output that no other step has."""
        return ["-".join(Path(output).relative_to(runs).parts) for output in self.outputs]

    @property
    def description(self) -> str:
        """For people."""
        return f"{self.kind} {self.about}"

    @property
    def is_done(self) -> bool:
        """Whether all outputs are complete."""
        return not self.missing

    @property
    def missing(self) -> tuple[str, ...]:
        """Outputs that do not exist or are damaged."""
        damaged = self.damage
        return tuple(
            output for output in self.outputs if output in damaged or not self._exists(output)
        )

    @property
    def damage(self) -> dict[str, str]:
        """Error messages of damaged outputs."""
        messages = {output: self._damage(output) for output in self.outputs}
        return {output: message for output, message in messages.items() if message}

    def record(self, seconds: float, made: Sequence[str] = ()) -> None:
        """
        Record that the step is done, after everything else was written.

        # Parameters

        seconds : `float`
            The time for making the outputs.
        made : `Sequence[str]`
            Outputs that were made now. Another study made and recorded the others.
        """
        outputs = made or self.outputs
        for output in outputs:
            base = self._base(output)
            content: dict[str, Any] = {
                "seconds": round(seconds / len(outputs), 1),
                "estimate": self.seconds / len(self.outputs),
                "files": {
                    str(file.relative_to(base)): fingerprint(file)
                    for file in self.files_of(output)
                    if file.is_file()
                },
                **self._stamp(),
            }
            record = self.record_of(output)
            record.parent.mkdir(parents=True, exist_ok=True)
            write_record(record, content)

    @property
    def times(self) -> tuple[float, float] | None:
        """Measured and estimated seconds; None if the step is not done or the time is not known."""
        if not self.is_done:
            return None
        records = [self._read(output) or {} for output in self.outputs]
        if not all(isinstance(record.get("seconds"), (int, float)) for record in records):
            return None
        measured = sum(record["seconds"] for record in records)
        return measured, sum(record.get("estimate", 0) for record in records)

    def _exists(self, output: str) -> bool:
        record = self._read(output)
        return record is not None and self._matches(record)

    def _stamp(self) -> dict[str, Any]:
        """Further content of the records."""
        return {}

    def _matches(self, record: dict[str, Any]) -> bool:
        """Whether the record belongs to this step, not to another one that wrote to the same path."""
        return all(record.get(key) == value for key, value in self._stamp().items())

    def _base(self, output: str) -> Path:
        """The folder that contains all files of an output."""
        return Path(output)

    def _read(self, output: str) -> dict[str, Any] | None:
        """The record of an output, unless it is missing or damaged."""
        with suppress(DamagedFileError):
            return read_record(self.record_of(output))
        return None

    def _damage(self, output: str) -> str:
        """An error message if the output is damaged; empty if it is intact or was never written."""
        try:
            record = read_record(self.record_of(output))
        except DamagedFileError as error:
            return str(error)
        return "" if record is None or not self._matches(record) else self._change(output, record)

    def _change(self, output: str, record: dict[str, Any]) -> str:
        """An error message if a file differs from the record."""
        files = record.get("files")
        if not isinstance(files, Mapping) or not files:
            return f"{self.record_of(output)}: is damaged: it lists no files"
        for name, written in files.items():
            path = self._base(output) / name
            if not path.is_file():
                return f"{path}: is missing"
            if not is_unchanged(path, written):
                return f"{path}: is damaged: it is not what was written"
        return ""
