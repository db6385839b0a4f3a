"""What all steps of a plan have: how to tell that one is done, by whole files and never by mere names."""

from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from attention_explain.files.records import Damaged, read_record, write_record
from attention_explain.workflow.damage import fingerprints, missing_file, other_file, other_size


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """
    kind : one of `KINDS`.
    name : unlike any other's, and fit for the name of a file.
    about : which run or table, for people.
    seeds_of : what all seeds of a run have in common, for pictures.
    identity : hash of what decides the result.
    needs : names of the steps before.
    seconds : about how long it takes.
    """

    kind: str
    name: str
    about: str
    seeds_of: str
    identity: str
    needs: Tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    @abstractmethod
    def outputs(self) -> Tuple[str, ...]:
        """Files or folders; each has a record of its own."""

    @abstractmethod
    def commands(self, missing: Sequence[str], options: Sequence[str]) -> List[List[str]]:
        """
        Arguments of `python`, a process each, for the outputs that are missing; `options` are those of
        `allennlp` commands for the machine.
        """

    @abstractmethod
    def record_of(self, output: str) -> Path: ...

    @abstractmethod
    def files_of(self, output: str) -> List[Path]:
        """What an output consists of."""

    @abstractmethod
    def clear(self, output: str) -> None:
        """Removes what is damaged, so that whatever makes it anew does not find it."""

    def lock_names(self, runs: Path) -> List[str]:
        """A name for each output, which no other step has."""
        return ["-".join(Path(output).relative_to(runs).parts) for output in self.outputs]

    @property
    def told(self) -> str:
        """For people."""
        return f"{self.kind} {self.about}"

    @property
    def is_done(self) -> bool:
        return not self.missing

    @property
    def missing(self) -> Tuple[str, ...]:
        """Outputs that are not there, or not as they were written."""
        damaged = self.damage
        return tuple(
            output for output in self.outputs if output in damaged or not self._is_there(output)
        )

    @property
    def damage(self) -> Dict[str, str]:
        """Which outputs are there, but not as they were written; and, in a sentence, why."""
        sentences = {output: self._damage(output) for output in self.outputs}
        return {output: sentence for output, sentence in sentences.items() if sentence}

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
                "files": fingerprints(self._base(output), self.files_of(output)),
                **self._stamp(),
            }
            record = self.record_of(output)
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

    def _is_there(self, output: str) -> bool:
        record = self._read(output)
        return record is not None and self._fits(record)

    def _stamp(self) -> Dict[str, Any]:
        """What else stands in its records."""
        return {}

    def _fits(self, record: Dict[str, Any]) -> bool:
        """Whether it is of this step, and not of another that wrote to the same place."""
        return all(record.get(key) == value for key, value in self._stamp().items())

    def _base(self, output: str) -> Path:
        """The folder of all files of an output."""
        return Path(output)

    def _read(self, output: str) -> Optional[Dict[str, Any]]:
        """The record, if there is a sound one."""
        with suppress(Damaged):
            return read_record(self.record_of(output))
        return None

    def _damage(self, output: str) -> str:
        """Why it is not what was written; nothing if it is, or if it was never written."""
        try:
            record = read_record(self.record_of(output))
        except Damaged as error:
            return str(error)
        return "" if record is None or not self._fits(record) else self._change(output, record)

    def _change(self, output: str, record: Dict[str, Any]) -> str:
        """What is not as the record has it."""
        if "files" not in record and "identity" in record:
            # Of an older version, as is the next.
            return missing_file(self.files_of(output))
        if isinstance(record.get("sizes"), dict):
            return other_size(Path(output), record["sizes"])
        return other_file(self._base(output), record.get("files"), self.record_of(output))
