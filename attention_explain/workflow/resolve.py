"""
Runs of a study with resolved references (paths for the commands, hashes for identities), and the paths of all
files made from a run.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from attention_explain.files.records import read_json
from attention_explain.workflow.identity import (
    GUIDING,
    Contents,
    Reference,
    fit_for_a_file,
    hash_of,
    name_of,
    with_contents,
    with_original_names,
    with_references,
)
from attention_explain.workflow.study import (
    ATTRIBUTIONS,
    FAITHFULNESS,
    PERTURBATIONS,
    SPLITS,
    Evaluation,
    FileKind,
    RunKey,
    Study,
    StudyError,
    StudyRun,
)

# The option for the list of methods of each command.
OPTIONS = {ATTRIBUTIONS: "--interpreters", PERTURBATIONS: "--perturbations"}


@dataclass(frozen=True)
class Folders:
    """
    The folders that all studies share.

    runs : run folders and the files made from them.
    results : the results folders of the studies.
    """

    runs: Path = Path("runs")
    results: Path = Path("results")


@dataclass(frozen=True)
class ResolvedRun:
    """
    A run without open references.

    config : the config for `allennlp train`.
    identity : hash of everything that decides the result.
    needs : names of the steps that come first.
    """

    run: StudyRun
    config: dict[str, Any]
    identity: str
    needs: tuple[str, ...]

    @property
    def id(self) -> str:
        """A unique name."""
        return f"{name_of(self.config)}-{self.identity}"

    @property
    def group(self) -> str:
        """Corpus and name, without the seed."""
        return f"{self.run.key.corpus}/{self.run.key.name}"

    @property
    def training(self) -> str:
        """The name of the training step."""
        return f"train-{self.id}"

    def making(self, kind: FileKind) -> str:
        """The name of the step that makes the files of a kind."""
        return f"{kind.command}-{self.id}"


@dataclass(frozen=True)
class OutputFile:
    """
    A file made from a run.

    reads : the data, or another file made from the run.
    options : options of the command with their values.
    methods : the interpreters or perturbations to compute, or the interpreters to evaluate.
    split : the split of the texts.
    limit : the number of texts; None for all.
    needs : names of the steps that come first, in addition to the training.
    evaluation : the options of a faithfulness file.
    """

    path: Path
    reads: str
    options: tuple[tuple[str, tuple[Any, ...]], ...]
    methods: tuple[Any, ...]
    split: str
    limit: int | None = None
    needs: tuple[str, ...] = ()
    evaluation: Evaluation | None = None


@dataclass
class Resolver:
    """
    Resolves the references of runs.

    limit : the number of texts to explain and perturb.
    runs : the resolved runs; None for a run that is being resolved.
    scores : by run id, the methods whose scores on all splits other runs read.
    """

    study: Study
    folders: Folders
    limit: int | None
    contents: Contents
    runs: dict[RunKey, ResolvedRun | None] = field(default_factory=dict)
    scores: dict[str, dict[str, None]] = field(default_factory=dict)

    def run(self, key: RunKey) -> ResolvedRun:
        """The resolved run; raises `StudyError` for a circular reference."""
        if key not in self.runs:
            # Detects circular references.
            self.runs[key] = None
            run = self.study.runs[key]
            config, identities, needs = self._resolved(run.config, key)
            identity = hash_of(with_contents(identities, self.contents))
            self.runs[key] = ResolvedRun(run, config, identity, needs)
        resolved = self.runs[key]
        if resolved is None:
            raise StudyError(f"the run {key} refers to itself through other runs")
        return resolved

    def folder(self, run: ResolvedRun) -> Path:
        """The folder of a run."""
        return self.folders.runs / run.id

    def scores_folder(self, run: ResolvedRun, method: str) -> Path:
        """The folder of the scores of a method on all splits; attention has a folder of its own."""
        if method == GUIDING:
            return self.folders.runs / "guides" / run.id
        return self.folders.runs / "scores" / f"{run.id}-{fit_for_a_file(method)}"

    def file(self, kind: FileKind, run: ResolvedRun, name: str) -> OutputFile:
        """A file of a run by kind and name."""
        stated, split = run.run.files[kind][name], run.run.split
        data = run.config[SPLITS[split]]
        if kind == FAITHFULNESS:
            evaluation = Evaluation(**stated)
            methods = run.run.files[ATTRIBUTIONS][evaluation.attributions]
            identities = {**stated, "attributions": with_original_names(methods)}
            return OutputFile(
                self._path(kind, run, identities),
                str(self.file(ATTRIBUTIONS, run, evaluation.attributions).path),
                (
                    ("--data", (data,)),
                    ("--measures", tuple(evaluation.measures)),
                    ("--erasures", tuple(evaluation.erasures)),
                    ("--limit", () if evaluation.limit is None else (evaluation.limit,)),
                ),
                tuple(methods),
                split,
                min((limit for limit in (self.limit, evaluation.limit) if limit), default=None),
                needs=(run.making(ATTRIBUTIONS),),
                evaluation=evaluation,
            )
        methods, identities, needs = self._resolved(stated, run.run.key)
        path = self._path(kind, run, with_original_names(identities))
        options = ((OPTIONS[kind], tuple(methods)),)
        return OutputFile(path, data, options, tuple(methods), split, self.limit, needs)

    def scores_files(self, run: ResolvedRun) -> list[OutputFile]:
        """The files of scores on all texts that other runs read."""
        return [
            OutputFile(
                self.scores_folder(run, method) / f"{split}.parquet",
                run.config[setting],
                ((OPTIONS[ATTRIBUTIONS], (method,)),),
                (_parse_method(method),),
                split,
            )
            for method in self.scores.get(run.id, ())
            for split, setting in SPLITS.items()
            if setting in run.config
        ]

    def _path(self, kind: FileKind, run: ResolvedRun, identities: Any) -> Path:
        setting = SPLITS[run.run.split]
        data = {"data_path": with_contents(run.config, self.contents)[setting]}
        identity = hash_of([run.identity, data, identities, self.limit])
        return self.folders.runs / kind.name / f"{name_of(run.config)}-{identity}.parquet"

    def _resolved(self, value: Any, key: RunKey) -> tuple[Any, Any, tuple[str, ...]]:
        """The value with references replaced by paths, the same with identities, and the needed steps."""
        needs: dict[str, None] = {}

        def path(reference: Reference) -> str:
            other = self._referred(reference, key)
            needs[other.training if reference.kind == "run" else other.making(ATTRIBUTIONS)] = None
            if reference.kind == "run":
                return str(self.folder(other))
            if reference.method is not None:
                self.scores.setdefault(other.id, {})[reference.method] = None
                return str(self.scores_folder(other, reference.method))
            if reference.listed not in other.run.files[ATTRIBUTIONS]:
                raise StudyError(
                    f"the run {key} refers to attributions that {reference.run} does not have"
                )
            return str(self.file(ATTRIBUTIONS, other, reference.listed).path)

        def identity(reference: Reference) -> str:
            other = self._referred(reference, key)
            methods = limit = None
            if reference.kind == "attributions":
                methods = with_original_names(
                    other.run.files[ATTRIBUTIONS].get(reference.listed, [])
                )
                limit = self.limit
            elif reference.kind == "scores":
                methods = with_original_names([_parse_method(reference.listed)])
            return f"<{reference.kind}:{hash_of([other.identity, methods, limit])}>"

        return with_references(value, path), with_references(value, identity), tuple(needs)

    def _referred(self, reference: Reference, key: RunKey) -> ResolvedRun:
        seed = reference.seed(key.seed, self.study.one_base)
        other = RunKey(key.corpus, reference.run, seed)
        if other not in self.study.runs:
            raise StudyError(
                f"the run {key} refers to {other}, which the study does not have"
                f"{self._advice(other, reference)}"
            )
        return self.run(other)

    def _advice(self, missing: RunKey, reference: Reference) -> str:
        """A hint if the study has the missing run with its first seed."""
        first = replace(missing, seed=self.study.seeds[0])
        if reference.kind == "scores" or first not in self.study.runs:
            return ""
        return "; give it as many seeds as the run that refers to it, or set `one_base: true`"


def _parse_method(method: str) -> Any:
    """A method by name, or with options as JSON."""
    if not method.startswith("{"):
        return method
    try:
        return read_json(method)
    except ValueError as error:
        raise StudyError(f"the method {method} of a reference to scores is not JSON") from error
