"""The contents of a study: runs with their seeds, the files made from them, and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attention_explain.errors import InputError

SPLITS = {"train": "train_data_path", "dev": "validation_data_path", "test": "test_data_path"}
# Commands of `python -m analysis` that need files about the same texts.
SAME_TEXTS = ("agreement", "causes", "plausibility")


class StudyError(InputError):
    """A mistake in a study file or an option; the message says how to correct it."""


@dataclass(frozen=True)
class FileKind:
    """
    Files that an `allennlp` command makes from a trained run.

    name : the key in a run of a study, and the name of the folder of these files.
    command : the command, which is also the kind of the steps.
    stated_as : the type of each value: a list of methods, or an object.
    """

    name: str
    command: str
    stated_as: type = list


ATTRIBUTIONS = FileKind("attributions", "attribute")
PERTURBATIONS = FileKind("perturbations", "perturb")
# The faithfulness of attributions of the same run; the object is an `Evaluation`.
FAITHFULNESS = FileKind("faithfulness", "faithfulness", dict)
# A kind comes after those that it is made from.
FILE_KINDS = (ATTRIBUTIONS, PERTURBATIONS, FAITHFULNESS)


@dataclass(frozen=True)
class RunKey:
    """Corpus, name and seed of a run."""

    corpus: str
    name: str
    seed: int

    def __str__(self) -> str:
        return f"{self.corpus}/{self.name} (seed {self.seed})"


@dataclass(frozen=True)
class Evaluation:
    """
    Options of `allennlp faithfulness`; empty ones leave the default to the command.

    attributions : the name of the attributions to evaluate.
    limit : the number of texts, spread evenly: a search for the best order takes far longer than an
        explanation.
    """

    attributions: str
    measures: Sequence[Any] = ()
    erasures: Sequence[Any] = ()
    limit: int | None = None


@dataclass(frozen=True)
class StudyRun:
    """
    A model to train, as the study states it; references are not resolved yet.

    files : the files made from it, by kind and by the name that tables use.
    split : the texts of these files.
    """

    key: RunKey
    config: dict[str, Any]
    files: dict[FileKind, dict[str, Any]]
    split: str


@dataclass(frozen=True)
class TableSource:
    """
    The input of a table: files of every run that has them.

    kind : the kind of files; None for the run folders.
    name : the name of these files in a run.
    """

    kind: FileKind | None = None
    name: str = ""

    def __str__(self) -> str:
        return RUNS_WORD if self.kind is None else f"{self.kind.name}/{self.name}"


# The name of the run folders in the inputs of a table.
RUNS_WORD = "runs"
RUN_FOLDERS = TableSource()


@dataclass(frozen=True)
class StudyTable:
    """
    A command of `python -m analysis`.

    only : names of the runs to use; None for all.
    """

    command: str
    arguments: tuple[str, ...]
    sources: tuple[TableSource, ...]
    only: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """The first argument of `table`; for others the command."""
        return self.arguments[0] if self.command == "table" else self.command


@dataclass(frozen=True)
class Study:
    """
    A study for one size, with the chosen seeds and corpora.

    chosen : the corpora that the user named; empty for all.
    one_base : the seed of all runs that others refer to; None if each refers to its own seed.
    """

    name: str
    title: str
    size: str
    chosen: tuple[str, ...]
    seeds: tuple[int, ...]
    runs: dict[RunKey, StudyRun]
    tables: tuple[StudyTable, ...]
    one_base: int | None = None
