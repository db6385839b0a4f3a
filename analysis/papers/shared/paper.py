"""A paper: its tables and figures, the files and columns that fill them, its claims, and what is corrected in it.
Also the columns that several papers compare.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Generic, Protocol

import pandas
from matplotlib.figure import Figure

from analysis.claims.claim import Claim, Scope
from analysis.claims.printed import Printed, Traced
from analysis.claims.table_rows import R, TypedTable
from analysis.errors import AnalysisError
from analysis.models import Model
from analysis.output import Output
from analysis.papers.shared.study_files import StudyFiles
from analysis.text_files import TextFile
from attention_explain.errors import InputError

# The kinds of files that an exhibit is made from: attributes of `StudyFiles`.
MODELS, PERTURBED, JUDGED = "models", "perturbed", "judged"
FILES = {MODELS: "attribution files", PERTURBED: "perturbation files", JUDGED: "faithfulness files"}
CURE = " (training_configs/interpreters has the methods of each paper)"


@dataclass(frozen=True)
class Method:
    """
    A column that a paper compares.

    name : the name of the column.
    title : its name in tables.
    options : the options that the paper uses.
    check : the name of one number per text that is stored next to the scores, if the paper uses that number.
    """

    name: str
    title: str
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    check: str = ""

    @property
    def column(self) -> str:
        """The name of the column in a file."""
        return f"{self.name}.{self.check}" if self.check else self.name

    def problem(self, file: TextFile) -> str | None:
        """An error message if the file cannot be used, else None."""
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
    """Accepts every model."""
    return True


class Fillable(Protocol):
    """A table or a figure of a paper; `name` is what a user types."""

    @property
    def name(self) -> str: ...

    def fill_from(self, study: StudyFiles, output: Output, all_of_them: bool) -> str | None:
        """
        Adds what the study has files for, and returns a message on what is missing. Raises `AnalysisError` with that
        message if nothing can be added, or if `all_of_them` is set.
        """


@dataclass(frozen=True)
class Exhibit:
    """
    A table or a figure of models.

    methods : columns that every file must have.
    fill : adds it to an output.
    fits : selects the models.
    about : the selected models in words.
    least : the least number of such models.
    of : the kind of files.
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
    A table or a figure of families of models, of runs, or of both.

    fill : adds it to an output and returns a sentence on what is left out, if anything; raises `AnalysisError` if
        nothing can be added.
    """

    name: str
    fill: Callable[[StudyFiles, Output], str | None]

    def fill_from(self, study: StudyFiles, output: Output, all_of_them: bool) -> str | None:
        left_out = self.fill(study, output)
        if left_out and all_of_them:
            raise AnalysisError(left_out)
        return left_out


@dataclass(frozen=True)
class Correction(Generic[R]):
    """
    How a corrected measure or a control changes a table of a paper.

    told : yields paragraphs and tables in Markdown from the rows of the table in all studies; nothing if these have no
        numbers for it.
    """

    table: TypedTable[R]
    told: Callable[[Sequence[R]], Iterable[str]]


def declared_claims(
    module: str, judges: Mapping[str, tuple], names: Mapping[str, Any] | None = None
) -> tuple[Claim, ...]:
    """
    The claims of a paper, whose words are in `claims.toml` next to the module. A claim has the scope of the file where
    it does not declare its own.

    judges : by name of the claim, the table that it rests on, the function that judges it, and other tables.
    names : the values of names in braces.
    """
    declared = _declared(module)
    return tuple(
        Claim(
            name,
            table=table,
            judge=judge,
            others=tuple(others),
            scope=Scope(**{**declared.get("scope", {}), **words.pop("scope", {})}),
            **_filled(words, names),
        )
        for name, (table, judge, *others) in judges.items()
        for words in [declared["claims"][name]]
    )


def declared_printed(module: str, names: Mapping[str, Any]) -> tuple[Printed, ...]:
    """The published numbers that `claims.toml` next to the module declares; `names` as in `declared_claims`."""
    return tuple(
        Printed(
            **{**one, "note": one.get("note", "").format_map(names)},
            traced=tuple(Traced(**each) for each in traced),
        )
        for one in _declared(module)["printed"]
        for traced in [one.pop("traced", ())]
    )


def _declared(module: str) -> dict[str, Any]:
    return tomllib.loads(Path(module).with_name("claims.toml").read_text(encoding="utf-8"))


def _filled(words: Mapping[str, Any], names: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        key: value.format_map(names or {}) if isinstance(value, str) else value
        for key, value in words.items()
    }


@dataclass(frozen=True)
class OverStudies:
    """
    A figure of the rows of a table in all studies.

    name : the name of the figure and of its csv file.
    table : the name of the table.
    shown : what it shows, in one line.
    caption : in Markdown; `{rows}` is replaced by the path of the csv file.
    once : drops repeated rows of several studies.
    drawn : draws the figure from these rows, with readable names of corpora; None if there is nothing to show.
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

    name : what a user types.
    title : the title of the section in the report.
    """

    name: str
    title: str
    exhibits: tuple[Fillable, ...] = ()

    def fill(self, study: StudyFiles, output: Output) -> list[str]:
        """
        Adds all exhibits that the study has files for, and returns a message on each one that is missing or incomplete.
        A single exhibit was requested by name, so every file has to be usable.
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
    A paper, declared as `PAPER` in the `__init__` of its folder. The title is authors and year.

    claims : its claims as rules over the tables of a study.
    printed : its published numbers that have a counterpart in our tables.
    corrections : what our measures change in its tables.
    more : further exhibitions about its models, in sections of their own.
    over_studies : figures over all studies.
    in_print : its printed tables as claims read ours, by name.
    order : its position among the papers of a year; by default alphabetical.
    """

    claims: tuple[Claim, ...] = ()
    printed: tuple[Printed, ...] = ()
    corrections: tuple[Correction[Any], ...] = ()
    more: tuple[Exhibition, ...] = ()
    over_studies: tuple[OverStudies, ...] = ()
    in_print: Callable[[], dict[str, pandas.DataFrame]] = dict
    order: int = 0

    @property
    def year(self) -> int:
        """The year at the end of the title."""
        return int(re.findall(r"\d{4}", self.title)[-1])


ATTENTION = Method("attention", "attention")

# Jain & Wallace, and Neely & Schouten, who used their code.
GRADIENT_X_INPUT = Method(
    "gradient-x-input",
    "gradient",
    {"of": "probability", "absolute": True, "detach_attention": True},
)
# The other definition of the gradient, shown as well if a file has both.
GRADIENT_NORM = Method(
    "gradient",
    "gradient norm",
    {"of": "probability", "norm": "l2", "detach_attention": False, "at": "input"},
)
LEAVE_ONE_OUT = Method("leave-one-out", "leave-one-out", {"at": "input", "measure": "tvd"})
JAIN_WALLACE_METHODS = (ATTENTION, GRADIENT_X_INPUT, LEAVE_ONE_OUT)
JAIN_WALLACE_PAIRS = tuple(combinations(JAIN_WALLACE_METHODS, 2))

# Meister et al. Normalising scores changes neither ranks nor entropies.
_L2 = {"of": "probability", "norm": "l2", "detach_attention": False}
GRADIENT = Method("gradient", "gradient", {**_L2, "at": "input"})
GRADIENT_HIDDEN = Method("gradient-hidden", "gradient", {**_L2, "at": "hidden"})
LEAVE_ONE_OUT_HIDDEN = Method(
    "leave-one-out-hidden", "leave-one-out", {"at": "hidden", "measure": "tvd"}
)
INPUT_TO_HIDDEN = Method("input-to-hidden", "input to hidden", check="mean_entropy")
