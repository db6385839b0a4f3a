"""
The kinds of steps: what each runs, and what it leaves. A new kind of files that is made from runs is a
`FileKind` in `workflow/study.py`, a line in `KINDS`, and a rule in the Snakefile.
"""

import json
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

from analysis.manifest import drop_damaged_manifest
from attention_explain.workflow.damage import damaged_parquet, damaged_table
from attention_explain.workflow.steps import Step

OF_A_RUN = ("config.json", "best.th", "metrics.json", "model.tar.gz")
# Written last into a run folder. AllenNLP writes an archive in place, and leaves one when it is
# interrupted; a killed training can leave half of one.
FINISHED = "finished.json"
# Beside what steps made: the record of each.
RECORDS = ".steps"
PAGE = "report.html"


@dataclass(frozen=True, kw_only=True)
class TrainStep(Step):
    """
    Trains one run.

    folder : of the run.
    config_file : where its config is written.
    """

    folder: str
    config_file: str
    config: Dict[str, Any] = field(compare=False)

    @property
    def outputs(self) -> Tuple[str, ...]:
        return (self.folder,)

    def commands(self, missing: Sequence[str], options: Sequence[str]) -> List[List[str]]:
        command = ["-m", "attention_explain", "train", self.config_file, "-s", self.folder]
        # The config says which device it is trained on.
        return [[*command, "--file-friendly-logging"]]

    def record_of(self, output: str) -> Path:
        return Path(output) / FINISHED

    def files_of(self, output: str) -> List[Path]:
        vocabulary = sorted(Path(output).glob("vocabulary/[!.]*"))
        return [*(Path(output) / name for name in OF_A_RUN), *vocabulary]

    def clear(self, output: str) -> None:
        shutil.rmtree(output, ignore_errors=True)


@dataclass(frozen=True)
class FileCommand:
    """
    output : a parquet file.
    arguments : of `allennlp`, for the command that writes it.
    """

    output: str
    arguments: Tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FilesStep(Step):
    """Makes the files of one kind from a run, such as all of its attributions."""

    files: Tuple[FileCommand, ...]

    @property
    def outputs(self) -> Tuple[str, ...]:
        return tuple(file.output for file in self.files)

    def commands(self, missing: Sequence[str], options: Sequence[str]) -> List[List[str]]:
        """One process for all of it: the start of one costs as much as hundreds of texts."""
        left = [[*file.arguments, *options] for file in self.files if file.output in missing]
        return [["-m", "attention_explain.workflow.in_one_process", json.dumps(left)]]

    def record_of(self, output: str) -> Path:
        return Path(output).parent / RECORDS / f"{Path(output).name}.json"

    def files_of(self, output: str) -> List[Path]:
        return [Path(output)]

    def clear(self, output: str) -> None:
        Path(output).unlink(missing_ok=True)

    def _base(self, output: str) -> Path:
        return Path(output).parent

    def _is_there(self, output: str) -> bool:
        """It has another name until it is written, and so needs no record."""
        return Path(output).is_file()

    def _damage(self, output: str) -> str:
        record = self._read(output) or {}
        # A parquet file knows itself whether it is whole.
        return self._change(output, record) if "files" in record else damaged_parquet(output)


@dataclass(frozen=True, kw_only=True)
class ResultsStep(Step):
    """
    Puts something into a folder of results, beside what other steps put there.

    result : its name there, which is that of its record.
    command : arguments of `python`.
    """

    folder: str
    result: str
    command: Tuple[str, ...]

    @property
    def outputs(self) -> Tuple[str, ...]:
        return (self.folder,)

    def commands(self, missing: Sequence[str], options: Sequence[str]) -> List[List[str]]:
        return [list(self.command)]

    def record_of(self, output: str) -> Path:
        return record_of_result(Path(output), self.kind, self.result)

    def lock_names(self, runs: Path) -> List[str]:
        """Several go into one folder, each at its own pace."""
        return [self.name]

    def _stamp(self) -> Dict[str, Any]:
        return {"identity": self.identity}

    def _remove_files(self, output: str) -> None:
        """Removes files that this step has recorded: a command replaces no file that looks foreign."""
        for file in self.files_of(output):
            file.unlink(missing_ok=True)


@dataclass(frozen=True, kw_only=True)
class TableStep(ResultsStep):
    """
    file : the csv file that the command writes; None if it writes into the folder what it likes, and
        lists that in the folder's manifest.
    """

    file: Optional[str] = None

    def files_of(self, output: str) -> List[Path]:
        return [] if self.file is None else [Path(self.file)]

    def clear(self, output: str) -> None:
        drop_damaged_manifest(Path(output))
        self._remove_files(output)

    def _change(self, output: str, record: Dict[str, Any]) -> str:
        if self.file is None:
            return damaged_table(Path(output), self.command)
        return super()._change(output, record)


@dataclass(frozen=True, kw_only=True)
class ReportStep(ResultsStep):
    """The page of all tables of a folder."""

    @property
    def told(self) -> str:
        return self.about

    @property
    def page(self) -> Path:
        return Path(self.folder) / PAGE

    def files_of(self, output: str) -> List[Path]:
        return [Path(output) / PAGE]

    def clear(self, output: str) -> None:
        self._remove_files(output)


def record_of_result(folder: Path, kind: str, name: str) -> Path:
    return folder / RECORDS / f"{kind}-{name}.json"


@dataclass(frozen=True)
class Kind:
    """
    done : what is said when one is done, before what it is about.
    colour : in the picture of a plan.
    """

    step: Type[Step]
    done: str
    colour: str


TRAIN, ATTRIBUTE, PERTURB, FAITHFULNESS = "train", "attribute", "perturb", "faithfulness"
TABLE, REPORT = "table", "report"
# In the order in which they are told.
KINDS: Dict[str, Kind] = {
    TRAIN: Kind(TrainStep, "trained", "#0072b2"),
    ATTRIBUTE: Kind(FilesStep, "attributed", "#009e73"),
    PERTURB: Kind(FilesStep, "perturbed", "#d55e00"),
    FAITHFULNESS: Kind(FilesStep, "judged", "#cc79a7"),
    TABLE: Kind(TableStep, "made the table", "#6f5aa7"),
    REPORT: Kind(ReportStep, "wrote the", "#555555"),
}


def read_step(fields: Dict[str, Any]) -> Step:
    """A step from JSON, in which `dataclasses.asdict` has put it."""
    fields = {
        key: tuple(value) if isinstance(value, list) else value for key, value in fields.items()
    }
    if "files" in fields:
        fields["files"] = tuple(
            FileCommand(file["output"], tuple(file["arguments"])) for file in fields["files"]
        )
    return KINDS[fields["kind"]].step(**fields)
