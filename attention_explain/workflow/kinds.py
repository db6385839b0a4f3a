"""
The kinds of steps, with their commands and outputs. To add a kind of files made from runs, add a `FileKind`
in `workflow/study.py`, a line in `KINDS`, and a rule in the Snakefile.
"""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from analysis.errors import AnalysisError
from analysis.manifest import damaged_file, drop_damaged_manifest, read_manifest
from attention_explain.files.records import DamagedFileError, describe_os_error
from attention_explain.workflow.steps import Step

RUN_FILES = ("config.json", "best.th", "metrics.json", "model.tar.gz")
# Written last into a run folder. An archive does not show that training has finished: AllenNLP also writes
# one when it is interrupted, and a killed training can leave an incomplete one.
FINISHED = "finished.json"
# The folder of the records, next to the outputs.
RECORDS = ".steps"
PAGE = "report.html"


@dataclass(frozen=True, kw_only=True)
class TrainStep(Step):
    """
    Trains one run.

    folder : the run folder.
    config_file : the path for its config.
    """

    folder: str
    config_file: str
    config: dict[str, Any] = field(compare=False)

    @property
    def outputs(self) -> tuple[str, ...]:
        return (self.folder,)

    def commands(self, missing: Sequence[str], options: Sequence[str]) -> list[list[str]]:
        command = ["-m", "attention_explain", "train", self.config_file, "-s", self.folder]
        # The config names the device.
        return [[*command, "--file-friendly-logging"]]

    def record_of(self, output: str) -> Path:
        return Path(output) / FINISHED

    def files_of(self, output: str) -> list[Path]:
        vocabulary = sorted(Path(output).glob("vocabulary/[!.]*"))
        return [*(Path(output) / name for name in RUN_FILES), *vocabulary]

    def clear(self, output: str) -> None:
        shutil.rmtree(output, ignore_errors=True)


@dataclass(frozen=True)
class FileCommand:
    """
    A command that writes one file.

    output : a parquet file.
    arguments : the arguments of `allennlp`.
    """

    output: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FilesStep(Step):
    """Makes all files of one kind from a run, such as its attributions."""

    files: tuple[FileCommand, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(file.output for file in self.files)

    def commands(self, missing: Sequence[str], options: Sequence[str]) -> list[list[str]]:
        """One process for all files: starting one takes as long as hundreds of texts."""
        left = [[*file.arguments, *options] for file in self.files if file.output in missing]
        return [["-m", "attention_explain.workflow.in_one_process", json.dumps(left)]]

    def record_of(self, output: str) -> Path:
        return Path(output).parent / RECORDS / f"{Path(output).name}.json"

    def files_of(self, output: str) -> list[Path]:
        return [Path(output)]

    def clear(self, output: str) -> None:
        Path(output).unlink(missing_ok=True)

    def _base(self, output: str) -> Path:
        return Path(output).parent

    def _exists(self, output: str) -> bool:
        """A parquet file gets its name when it is complete, so it needs no record."""
        return Path(output).is_file()

    def _damage(self, output: str) -> str:
        record = self._read(output) or {}
        return self._change(output, record) if "files" in record else _parquet_damage(output)


@dataclass(frozen=True, kw_only=True)
class ResultsStep(Step):
    """
    Writes one result into a folder that has results of other steps, too.

    result : the name of the result and of its record.
    command : the arguments of `python`.
    """

    folder: str
    result: str
    command: tuple[str, ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        return (self.folder,)

    def commands(self, missing: Sequence[str], options: Sequence[str]) -> list[list[str]]:
        return [list(self.command)]

    def record_of(self, output: str) -> Path:
        return record_of_result(Path(output), self.kind, self.result)

    def lock_names(self, runs: Path) -> list[str]:
        """Other steps may write into the same folder at the same time."""
        return [self.name]

    def _stamp(self) -> dict[str, Any]:
        return {"identity": self.identity}

    def _remove_files(self, output: str) -> None:
        """Remove the files of this step: a command does not replace files that it does not recognise."""
        for file in self.files_of(output):
            file.unlink(missing_ok=True)


@dataclass(frozen=True, kw_only=True)
class TableStep(ResultsStep):
    """
    Makes one table.

    file : the csv file that the command writes; None if it writes several files and lists them in the
        manifest of the folder.
    """

    file: str | None = None

    def files_of(self, output: str) -> list[Path]:
        return [] if self.file is None else [Path(self.file)]

    def clear(self, output: str) -> None:
        drop_damaged_manifest(Path(output))
        self._remove_files(output)

    def _change(self, output: str, record: dict[str, Any]) -> str:
        if self.file is None:
            return _table_damage(Path(output), self.command)
        return super()._change(output, record)


@dataclass(frozen=True, kw_only=True)
class ReportStep(ResultsStep):
    """Makes the page of all tables of a folder."""

    @property
    def description(self) -> str:
        return self.about

    @property
    def page(self) -> Path:
        """The path of the page."""
        return Path(self.folder) / PAGE

    def files_of(self, output: str) -> list[Path]:
        return [Path(output) / PAGE]

    def clear(self, output: str) -> None:
        self._remove_files(output)


def record_of_result(folder: Path, kind: str, name: str) -> Path:
    """The record of a result in a folder."""
    return folder / RECORDS / f"{kind}-{name}.json"


@dataclass(frozen=True)
class Kind:
    """
    A kind of steps.

    done : printed before the subject of a step that is done.
    colour : in the graph of a plan.
    """

    step: type[Step]
    done: str
    colour: str


TRAIN, ATTRIBUTE, PERTURB, FAITHFULNESS = "train", "attribute", "perturb", "faithfulness"
TABLE, REPORT = "table", "report"
# In the order of the printed plan.
KINDS: dict[str, Kind] = {
    TRAIN: Kind(TrainStep, "trained", "#0072b2"),
    ATTRIBUTE: Kind(FilesStep, "attributed", "#009e73"),
    PERTURB: Kind(FilesStep, "perturbed", "#d55e00"),
    FAITHFULNESS: Kind(FilesStep, "judged", "#cc79a7"),
    TABLE: Kind(TableStep, "made the table", "#6f5aa7"),
    REPORT: Kind(ReportStep, "wrote the", "#555555"),
}


def read_step(fields: dict[str, Any]) -> Step:
    """A step from the JSON of `dataclasses.asdict`."""
    fields = {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
    if "files" in fields:
        fields["files"] = tuple(
            FileCommand(file["output"], tuple(file["arguments"])) for file in fields["files"]
        )
    return KINDS[fields["kind"]].step(**fields)


def _parquet_damage(output: str) -> str:
    """An error message if the file exists and does not match its own checksums."""
    try:
        state = os.stat(output)
    except OSError:
        return ""
    return _seal_damage(output, state.st_size, state.st_mtime_ns)


@cache
def _seal_damage(path: str, size: int, mtime: int) -> str:
    """Reads the whole file, but only once for the same size and date."""
    from attention_explain.files.tables import read_sealed

    try:
        read_sealed(path)
    except (DamagedFileError, OSError) as error:
        return str(error) if isinstance(error, DamagedFileError) else describe_os_error(error)
    return ""


def _table_damage(folder: Path, command: Sequence[str]) -> str:
    """An error message if a result of the command, or of any command if this one is not listed, is damaged."""
    try:
        manifest = read_manifest(folder)
    except AnalysisError as error:
        return str(error)
    commands = manifest["commands"]
    own = {name for name, made in commands.items() if made["command"] == ["python", *command]}
    return damaged_file(folder, manifest, own or set(commands))
