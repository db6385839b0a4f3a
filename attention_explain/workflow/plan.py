"""The steps of a study: their commands, their files, and their order."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from attention_explain.workflow import costs
from attention_explain.workflow.contents import Contents
from attention_explain.workflow.identity import hash_of
from attention_explain.workflow.kinds import TRAIN, FileCommand, FilesStep, TrainStep, read_step
from attention_explain.workflow.resolve import Folders, OutputFile, ResolvedRun, Resolver
from attention_explain.workflow.steps import Step
from attention_explain.workflow.study import (
    ATTRIBUTIONS,
    FAITHFULNESS,
    FILE_KINDS,
    RUN_FOLDERS,
    FileKind,
    Study,
    StudyError,
    StudyTable,
    TableSource,
)
from attention_explain.workflow.tables import table_steps, wanted_tables

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
