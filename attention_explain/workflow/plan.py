"""
The steps of a study: their commands, their files, and their order. The last ones are tables, the outcomes of
the papers' claims, and the report page.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from analysis.errors import AnalysisError
from analysis.manifest import MANIFEST, drop_section, read_manifest
from attention_explain.workflow import costs
from attention_explain.workflow.identity import Contents, fit_for_a_file, hash_of
from attention_explain.workflow.kinds import (
    REPORT,
    TABLE,
    TRAIN,
    FileCommand,
    FilesStep,
    ReportStep,
    ResultsStep,
    TableStep,
    TrainStep,
    read_step,
    record_of_result,
)
from attention_explain.workflow.resolve import Folders, OutputFile, ResolvedRun, Resolver
from attention_explain.workflow.steps import Step
from attention_explain.workflow.study import (
    ATTRIBUTIONS,
    FAITHFULNESS,
    FILE_KINDS,
    RUN_FOLDERS,
    SAME_TEXTS,
    FileKind,
    Study,
    StudyError,
    StudyTable,
    TableSource,
)

# Valid names of a results folder.
NAME = re.compile(r"\w[\w.-]*")
MODELS = StudyTable("models", (), (RUN_FOLDERS,))


@dataclass(frozen=True)
class Plan:
    """
    All steps of a study.

    results : the results folder of the study.
    limit : the number of texts to explain and perturb.
    """

    study: Study
    folders: Folders
    results: Path
    steps: dict[str, Step]
    limit: int | None = None

    def to_json(self) -> str:
        """The steps that are not done yet, for the engine."""
        pending = {name: step for name, step in self.steps.items() if not step.is_done}
        steps = {}
        for name, step in pending.items():
            needs = [need for need in step.needs if need in pending]
            steps[name] = asdict(replace(step, needs=tuple(needs)))
        return json.dumps({"runs": str(self.folders.runs), "steps": steps}, indent=1)


def read_steps(plan: Path) -> dict[str, Step]:
    """The steps of `Plan.to_json`."""
    stored = json.loads(plan.read_text(encoding="utf-8"))["steps"]
    return {name: read_step(fields) for name, fields in stored.items()}


def make_plan(
    study: Study, folders: Folders, limit: int | None = None, name: str | None = None
) -> Plan:
    """
    The plan of a study.

    # Parameters

    limit : `Optional[int]`
        The number of texts to explain and perturb.
    name : `Optional[str]`
        The name of the results folder; by default that of the study and its corpora.
    """
    if limit is not None and limit < 1:
        raise StudyError(f"the limit is {limit}, but must be 1 or more")
    if name is not None and not NAME.fullmatch(name):
        raise StudyError(f"--name is {name!r}, but must be letters, digits, '_', '-' and '.'")
    contents = Contents(folders.runs / "contents.json")
    planner = _Planner(Resolver(study, folders, limit, contents))
    results = folders.results / (name or _folder(study))
    planner.add_all(results)
    contents.save()
    return Plan(study, folders, results, planner.steps, limit)


def _folder(study: Study) -> str:
    """The name of the study with its corpora or size: `jain_wallace_2019-sst`, `pruthi_2020-quick`."""
    if study.size == "quick":
        return f"{study.name}-quick"
    return "-".join([study.name, *study.chosen])


@dataclass
class _Planner:
    resolver: Resolver
    steps: dict[str, Step] = field(default_factory=dict)

    def add_all(self, results: Path) -> None:
        study = self.resolver.study
        for key in study.runs:
            self.resolver.run(key)
        # Runs in the order in which they are first mentioned: the identity of a table depends on the order of
        # its files.
        runs = [run for run in self.resolver.runs.values() if run is not None]
        for run in runs:
            self._add_training(run)
        for kind in FILE_KINDS:
            for run in runs:
                self._add_files(kind, run)
        # The tables of the study, and one of all models.
        wanted = [
            one
            for table in (MODELS, *study.tables)
            for one in wanted_tables(table, results, runs, self._source)
        ]
        for step in table_steps(wanted, results):
            self._add(step)

    def _add_training(self, run: ResolvedRun) -> None:
        self._add(
            TrainStep(
                kind=TRAIN,
                name=run.training,
                about=str(run.run.key),
                group=run.group,
                identity=run.identity,
                needs=run.needs,
                seconds=costs.training(run.config, self.resolver.contents),
                folder=str(self.resolver.folder(run)),
                config_file=str(self.resolver.folders.runs / "configs" / f"{run.id}.json"),
                config=run.config,
            )
        )

    def _add_files(self, kind: FileKind, run: ResolvedRun) -> None:
        files = [self.resolver.file(kind, run, name) for name in run.run.files[kind]]
        if kind == ATTRIBUTIONS:
            files += self.resolver.scores_files(run)
        if not files:
            return
        commands = tuple(
            FileCommand(str(file.path), self._arguments(kind, run, file)) for file in files
        )
        needs = dict.fromkeys(need for file in files for need in file.needs)
        self._add(
            FilesStep(
                kind=kind.command,
                name=run.making(kind),
                about=str(run.run.key),
                group=run.group,
                identity=hash_of([command.output for command in commands]),
                needs=(run.training, *needs),
                seconds=costs.making(kind, run.config, files, self.resolver.contents),
                files=commands,
            )
        )

    def _arguments(self, kind: FileKind, run: ResolvedRun, file: OutputFile) -> tuple[str, ...]:
        """The arguments of `allennlp`."""
        words = [kind.command, str(self.resolver.folder(run)), file.reads, "-o", str(file.path)]
        for option, values in file.options:
            texts = [each if isinstance(each, str) else json.dumps(each) for each in values]
            words += [option, *texts] if texts else []
        # The options of an evaluation contain its own limit.
        limited = file.limit is not None and kind != FAITHFULNESS
        limit = ("--limit", str(file.limit)) if limited else ()
        return (*words, "--file-friendly-logging", *limit)

    def _source(self, source: TableSource, run: ResolvedRun) -> tuple[str, str] | None:
        """The path of a table's input and the step that makes it; None if the run has no such file."""
        if source.kind is None:
            return str(self.resolver.folder(run)), run.training
        if source.name not in run.run.files[source.kind]:
            return None
        file = self.resolver.file(source.kind, run, source.name)
        return str(file.path), run.making(source.kind)

    def _add(self, step: Step) -> None:
        """Add a step; two names of a study may mean the same run, each with its own attributions."""
        known = self.steps.get(step.name)
        if isinstance(known, FilesStep) and isinstance(step, FilesStep):
            step = replace(
                known,
                files=_union(known.files, step.files),
                needs=_union(known.needs, step.needs),
            )
        self.steps[step.name] = step


def _union(known: Sequence, more: Sequence) -> tuple:
    """The distinct elements of both, in order."""
    return tuple(dict.fromkeys([*known, *more]))


ANALYSIS = Path(__file__).resolve().parents[2] / "analysis"
# Commands that write one file; the others write a folder.
WRITE_A_FILE = ("models", "causes")


# Finds the path of a table's input and the name of the step that makes it; None if a run has none.
Finder = Callable[[TableSource, ResolvedRun], tuple[str, str] | None]


@dataclass(frozen=True)
class WantedTable:
    """
    A table of a study, with its results folder.

    files : its inputs, each with the name of the step that makes it.
    """

    table: StudyTable
    folder: Path
    about: str
    files: dict[str, str]


def wanted_tables(
    table: StudyTable, results: Path, runs: Sequence[ResolvedRun], find: Finder
) -> list[WantedTable]:
    """The table; or one per corpus, each in its own folder, if it cannot combine several corpora."""
    chosen = [run for run in runs if table.only is None or run.run.key.name in table.only]
    corpora = dict.fromkeys(run.run.key.corpus for run in chosen)
    if table.command not in SAME_TEXTS or len(corpora) == 1:
        return [WantedTable(table, results, table.name, _files(table, chosen, find))]
    return [
        WantedTable(
            table,
            results / corpus,
            f"{table.name} of {corpus}",
            _files(table, [run for run in chosen if run.run.key.corpus == corpus], find),
        )
        for corpus in corpora
    ]


def _files(table: StudyTable, runs: Sequence[ResolvedRun], find: Finder) -> dict[str, str]:
    inputs = (find(source, run) for source in table.sources for run in runs)
    return dict(each for each in inputs if each is not None)


def table_steps(wanted: Sequence[WantedTable], results: Path) -> list[Step]:
    """Steps for all tables that have inputs, and claims and a report for folders with more than csv files."""
    code = hash_of(_sources(ANALYSIS))
    tables = [_table_step(one, code) for one in wanted if one.files]
    folders: dict[str, list[TableStep]] = {}
    for step in tables:
        folders.setdefault(step.folder, []).append(step)
    steps: list[Step] = list(tables)
    for name, made in folders.items():
        # A folder of plain csv files has no manifest to make a report from.
        if all(step.file for step in made):
            continue
        folder = Path(name)
        claims = _of_folder(TableStep, TABLE, "claims", folder, results, made, code)
        page = _of_folder(ReportStep, REPORT, "report", folder, results, [*made, claims], code)
        steps += [claims, page]
    return steps


def _table_step(wanted: WantedTable, code: str) -> TableStep:
    table, folder = wanted.table, wanted.folder
    # Names contain the identity of the file; the folder does not matter.
    names = [Path(file).name for file in wanted.files]
    identity = hash_of([code, table.command, table.arguments, names])
    file = str(folder / f"{table.name}.csv") if table.command in WRITE_A_FILE else None
    name = table.arguments[:1] if table.command == "table" else ()
    options = table.arguments[len(name) :]
    return TableStep(
        kind=TABLE,
        name=f"table-{fit_for_a_file(folder.name)}-{fit_for_a_file(table.name)}-{identity}",
        about=wanted.about,
        group=wanted.about,
        identity=identity,
        needs=tuple(dict.fromkeys(wanted.files.values())),
        seconds=costs.TABLE,
        folder=str(folder),
        result=table.name,
        command=(
            *("-m", "analysis", table.command, *name, *wanted.files, *options),
            *("-o", file or str(folder)),
        ),
        file=file,
    )


def _of_folder(
    step: type[ResultsStep],
    kind: str,
    command: str,
    folder: Path,
    results: Path,
    tables: Sequence[Step],
    code: str,
) -> ResultsStep:
    """A step that needs all tables of a folder."""
    identity = hash_of([code, sorted(table.identity for table in tables)])
    about = command if folder == results else f"{command} of {folder.name}"
    return step(
        kind=kind,
        name=f"{command}-{fit_for_a_file(folder.name)}-{identity}",
        about=about,
        group=about,
        identity=identity,
        needs=tuple(table.name for table in tables),
        seconds=costs.TABLE,
        folder=str(folder),
        result=command,
        command=("-m", "analysis", command, str(folder)),
    )


def drop_unwanted(results: Path, steps: Iterable[Step]) -> None:
    """Remove tables that the study no longer contains; tables that were added by hand stay."""
    wanted = {(Path(step.folder), step.result) for step in steps if isinstance(step, TableStep)}
    for folder in sorted({path.parent for path in results.rglob(MANIFEST)}):
        for section, made in _commands(folder).items():
            # python -m analysis table NAME ..., or python -m analysis NAME ...
            name = next(word for word in made["command"][3:] if word != "table")
            record = record_of_result(folder, TABLE, name)
            if record.is_file() and (folder, name) not in wanted:
                drop_section(folder, section)
                record.unlink()


def _commands(folder: Path) -> dict[str, Any]:
    # The step that writes into the folder will report a damaged manifest.
    with suppress(AnalysisError):
        return read_manifest(folder)["commands"]
    return {}


def _sources(folder: Path) -> dict[str, str]:
    """Hashes of the code of the analysis: tables are made again when it changes."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".csv")
    }
