"""A paper: its tables and figures, the files and columns that fill them, its claims, and what is corrected in it.
Also the columns that several papers compare.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol

import pandas
from matplotlib.figure import Figure

from analysis.claims.claim import Claim
from analysis.claims.printed import Printed
from analysis.claims.table_rows import TableRow, TypedTable
from analysis.errors import AnalysisError
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.study_files import StudyFiles
from analysis.text_files import TextFile
from attention_explain.errors import InputError

# What an exhibit is made from, by its name in a study.
MODELS, PERTURBED, JUDGED = "models", "perturbed", "judged"
FILES = {
    MODELS: "attribution files",
    PERTURBED: "perturbation files",
    JUDGED: "faithfulness files",
}
CURE = " (training_configs/interpreters has the methods of each paper)"


@dataclass(frozen=True)
class Method:
    """
    A column that a paper is about.

    name : of the column.
    title : what tables call it.
    options : those without which it is not the paper's.
    check : one number per text next to the scores, where that is what the paper is about.
    """

    name: str
    title: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    check: str = ""

    @property
    def column(self) -> str:
        """The name of the column in the table of a file."""
        return f"{self.name}.{self.check}" if self.check else self.name

    def problem(self, file: TextFile) -> str | None:
        """An error message if the file cannot serve, else None."""
        if self.name not in file.declared or self.column not in file.table:
            return f"{file.path}: has no '{self.column}'; it has {', '.join(file.declared)}{CURE}"
        parameters = file.declared[self.name].get("parameters", {})
        for option, wanted in self.options.items():
            if parameters.get(option, wanted) != wanted:
                return (
                    f"{file.path}: its '{self.name}' has {option} = {parameters[option]}, "
                    f"the paper's has {wanted}{CURE}"
                )
        return None


def any_model(model: Model) -> bool:
    """Every model fits."""
    return True


class Fillable(Protocol):
    """
    A table or a figure of a paper; `name` is what a user types.
    """

    @property
    def name(self) -> str: ...

    def fill_from(self, study: StudyFiles, output: Output, all_of_them: bool) -> str | None:
        """
        Fills what the study can fill, and returns a message on what it cannot. Raises
        `AnalysisError` with that message where nothing can be filled, or where all have to serve.
        """


@dataclass(frozen=True)
class Exhibit:
    """
    A table or a figure of models, each by itself or side by side.

    methods : columns that every file must have.
    fill : adds it to an output.
    fits : which models it is about; the others are no part of it.
    about : those models in words.
    least : how many such models it takes.
    of : which files it is made from.
    """

    name: str
    methods: tuple[Method, ...]
    fill: Callable[[Sequence[Model], Output], None]
    fits: Callable[[Model], bool] = any_model
    about: str = ""
    least: int = 1
    of: str = MODELS

    def fill_from(self, study: StudyFiles, output: Output, all_of_them: bool) -> str | None:
        models = getattr(study, self.of)
        fitting = [(model, self._problem(model)) for model in models if self.fits(model)]
        usable = [model for model, problem in fitting if problem is None]
        first = next((problem for _, problem in fitting if problem is not None), None)
        if len(usable) < self.least or (all_of_them and first):
            raise AnalysisError(first or self._too_few(len(usable)))
        self.fill(usable, output)
        return first

    def _too_few(self, number: int) -> str:
        least = f"at least {self.least} " if self.least > 1 else ""
        return f"it takes {least}{self.about or FILES[self.of]}, and there are {number or 'none'}"

    def _problem(self, model: Model) -> str | None:
        problems = (method.problem(file) for file in model.files for method in self.methods)
        return next((problem for problem in problems if problem is not None), None)


@dataclass(frozen=True)
class StudyExhibit:
    """
    A table or a figure of models that belong together, of runs, or of both.

    fill : adds it to an output, and gives a sentence on what is left out, if anything is; raises
        `AnalysisError` where nothing can be filled.
    """

    name: str
    fill: Callable[[StudyFiles, Output], str | None]

    def fill_from(self, study: StudyFiles, output: Output, all_of_them: bool) -> str | None:
        left_out = self.fill(study, output)
        if left_out and all_of_them:
            raise AnalysisError(left_out)
        return left_out


@dataclass(frozen=True)
class Correction:
    """
    What a corrected measure or a control changes in a table of a paper.

    told : paragraphs and tables in Markdown, from the rows of that table in all studies; nothing
        where these have no numbers for it.
    """

    table: TypedTable
    told: Callable[[Sequence[TableRow]], Iterable[str]]


@dataclass(frozen=True)
class OverStudies:
    """
    A figure of the rows that all studies have of a table.

    name : of the figure, and of the rows next to it.
    table : of which.
    shown : what it shows, in a line.
    caption : in Markdown; `{rows}` stands for where the rows are.
    once : of rows of several studies under each other, those that count.
    drawn : from these, with corpora by the names that people know; None if there is nothing to see.
    """

    name: str
    table: str
    shown: str
    caption: str
    once: Callable[[pandas.DataFrame], pandas.DataFrame]
    drawn: Callable[[pandas.DataFrame], Figure | None]


@dataclass(frozen=True)
class Exhibition:
    """
    Tables and figures that belong together.

    name : what a user types for all of them.
    title : the section of the report.
    """

    name: str
    title: str
    exhibits: tuple[Fillable, ...] = ()

    def fill(self, study: StudyFiles, output: Output) -> list[str]:
        """
        All that the study can fill; gives a sentence for each exhibit it cannot, or not with all
        that it has. An exhibit that stands alone was asked for by name, so every file has to serve
        it.
        """
        if len(self.exhibits) == 1:
            self.exhibits[0].fill_from(study, output, all_of_them=True)
            return []
        said = []
        for exhibit in self.exhibits:
            try:
                partly = exhibit.fill_from(study, output, all_of_them=False)
                said += [f"{exhibit.name} is without some models: {partly}"] if partly else []
            except InputError as error:
                said.append(f"{exhibit.name} is not filled: {error}")
        if not output.entries:
            raise AnalysisError("; ".join(said))
        return said


@dataclass(frozen=True)
class Paper(Exhibition):
    """
    What the `__init__` of a paper's folder declares, as `PAPER`. The title is authors and year.

    claims : what it says, as rules that the tables of a study keep or break.
    printed : which numbers of its tables have a counterpart in ours.
    corrections : what our measures change in its tables.
    more : what its models are also asked, in sections of their own.
    over_studies : figures of all studies together.
    order : its position among the papers of a year, where that is not to be the alphabet's.
    """

    claims: tuple[Claim, ...] = ()
    printed: tuple[Printed, ...] = ()
    corrections: tuple[Correction, ...] = ()
    more: tuple[Exhibition, ...] = ()
    over_studies: tuple[OverStudies, ...] = ()
    order: int = 0

    @property
    def year(self) -> int:
        """The one at the end of the title."""
        return int(re.findall(r"\d{4}", self.title)[-1])


ATTENTION = Method("attention", "attention")

# Jain & Wallace, and Neely & Schouten, who kept their code.
GRADIENT_X_INPUT = Method(
    "gradient-x-input",
    "gradient",
    {"of": "probability", "absolute": True, "detach_attention": True},
)
# The other thing that is called gradient, next to it wherever a file has both.
GRADIENT_NORM = Method(
    "gradient",
    "gradient norm",
    {"of": "probability", "norm": "l2", "detach_attention": False, "at": "input"},
)
LEAVE_ONE_OUT = Method("leave-one-out", "leave-one-out", {"at": "input", "measure": "tvd"})
JAIN_WALLACE_METHODS = (ATTENTION, GRADIENT_X_INPUT, LEAVE_ONE_OUT)
JAIN_WALLACE_PAIRS = tuple(combinations(JAIN_WALLACE_METHODS, 2))

# Meister et al.; whether scores are normalised changes neither ranks nor entropies.
_L2 = {"of": "probability", "norm": "l2", "detach_attention": False}
GRADIENT = Method("gradient", "gradient", {**_L2, "at": "input"})
GRADIENT_HIDDEN = Method("gradient-hidden", "gradient", {**_L2, "at": "hidden"})
LEAVE_ONE_OUT_HIDDEN = Method(
    "leave-one-out-hidden", "leave-one-out", {"at": "hidden", "measure": "tvd"}
)
INPUT_TO_HIDDEN = Method("input-to-hidden", "input to hidden", check="mean_entropy")
