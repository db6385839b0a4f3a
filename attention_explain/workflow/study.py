"""What a study consists of: runs, with which seeds, what is made from them, and tables."""

from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Tuple

SPLITS = {"train": "train_data_path", "dev": "validation_data_path", "test": "test_data_path"}
# Commands of `python -m analysis` whose files have to be about the same texts.
SAME_TEXTS = ("agreement", "causes", "plausibility")


@dataclass(frozen=True)
class FileKind:
    """
    Files that a command of `allennlp` makes from a trained run.

    name : in a run of a study, and of their folder below the runs.
    command : which is the kind of the steps, too.
    stated_as : under each name a list of methods, or an object.
    """

    name: str
    command: str
    stated_as: type = list


ATTRIBUTIONS = FileKind("attributions", "attribute")
PERTURBATIONS = FileKind("perturbations", "perturb")
# How true attributions of the same run are to it; the object is a `Judging`.
FAITHFULNESS = FileKind("faithfulness", "faithfulness", dict)
# Each after those that it may be made from.
FILE_KINDS = (ATTRIBUTIONS, PERTURBATIONS, FAITHFULNESS)


@dataclass(frozen=True)
class RunKey:
    """Which run of a study."""

    corpus: str
    name: str
    seed: int

    def __str__(self) -> str:
        return f"{self.corpus}/{self.name} (seed {self.seed})"


@dataclass(frozen=True)
class Judging:
    """
    What is asked of `allennlp faithfulness`; where nothing is named, it has its own defaults.

    attributions : the name of those that are judged.
    limit : only so many of their texts, spread evenly: a search for the best order takes far longer
        than an explanation.
    """

    attributions: str
    measures: Sequence[Any] = ()
    erasures: Sequence[Any] = ()
    limit: Optional[int] = None


@dataclass(frozen=True)
class StudyRun:
    """
    A model to be trained, as the study states it: what it refers to is not looked up yet.

    files : what is made from it, for each kind under the names that tables ask for.
    split : which texts these are about.
    """

    key: RunKey
    config: Dict[str, Any]
    files: Dict[FileKind, Dict[str, Any]]
    split: str


@dataclass(frozen=True)
class TableSource:
    """
    What a table is made from, of every run that has it.

    kind : of files; None for the run folders.
    name : under which runs have them.
    """

    kind: Optional[FileKind] = None
    name: str = ""

    def __str__(self) -> str:
        return RUNS_WORD if self.kind is None else f"{self.kind.name}/{self.name}"


# In the list of what a table is made from.
RUNS_WORD = "runs"
RUN_FOLDERS = TableSource()


@dataclass(frozen=True)
class StudyTable:
    """
    A command of `python -m analysis`.

    only : names of the runs it is about; None for all.
    """

    command: str
    arguments: Tuple[str, ...]
    sources: Tuple[TableSource, ...]
    only: Optional[Tuple[str, ...]] = None

    @property
    def name(self) -> str:
        """A table is named after what is first behind `table`, others after their command."""
        return self.arguments[0] if self.command == "table" else self.command


@dataclass(frozen=True)
class Study:
    """
    chosen : the corpora that were asked for by name; empty if all were meant.
    one_base : the seed of the runs that others refer to, whatever their own; None if it is their own.
    """

    name: str
    title: str
    size: str
    chosen: Tuple[str, ...]
    seeds: Tuple[int, ...]
    runs: Dict[RunKey, StudyRun]
    tables: Tuple[StudyTable, ...]
    one_base: Optional[int] = None
