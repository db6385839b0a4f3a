"""
Runs of a study with what they refer to: by paths for the commands, by hashes for their identity. And where
everything that is made from a run lies.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from attention_explain.files.records import read_json
from attention_explain.workflow.contents import Contents
from attention_explain.workflow.errors import StudyError
from attention_explain.workflow.identity import (
    GUIDING,
    Reference,
    fit_for_a_file,
    hash_of,
    name_of,
    with_contents,
    with_first_names,
    with_references,
)
from attention_explain.workflow.study import (
    ATTRIBUTIONS,
    FAITHFULNESS,
    PERTURBATIONS,
    SPLITS,
    FileKind,
    Judging,
    RunKey,
    Study,
    StudyRun,
)

# How the commands are given a list of methods.
OPTIONS = {ATTRIBUTIONS: "--interpreters", PERTURBATIONS: "--perturbations"}


@dataclass(frozen=True)
class Folders:
    """
    runs : where run folders and what is made from them lie, shared by all studies.
    results : where the folders of the studies lie.
    """

    runs: Path = Path("runs")
    results: Path = Path("results")


@dataclass(frozen=True)
class ResolvedRun:
    """
    config : as `allennlp train` takes it.
    identity : hash of all that decides its result.
    needs : names of the steps whose results it takes.
    """

    run: StudyRun
    config: Dict[str, Any]
    identity: str
    needs: Tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{name_of(self.config)}-{self.identity}"

    @property
    def seeds_of(self) -> str:
        return f"{self.run.key.corpus}/{self.run.key.name}"

    @property
    def training(self) -> str:
        """The name of the step that trains it."""
        return f"train-{self.id}"

    def making(self, kind: FileKind) -> str:
        """The name of the step that makes its files of a kind."""
        return f"{kind.command}-{self.id}"


@dataclass(frozen=True)
class MadeFile:
    """
    A file that is made from a run.

    reads : data, or another file that is made from the run.
    options : of the command, each with what stands behind it.
    methods : the interpreters or perturbations that are computed, or the interpreters that are judged.
    split : which texts it is about.
    limit : how many of them; None for all.
    needs : names of the steps, beside the training, whose results it takes.
    judging : how the methods are judged, in a faithfulness file.
    """

    path: Path
    reads: str
    options: Tuple[Tuple[str, Tuple[Any, ...]], ...]
    methods: Tuple[Any, ...]
    split: str
    limit: Optional[int] = None
    needs: Tuple[str, ...] = ()
    judging: Optional[Judging] = None


@dataclass
class Resolver:
    """
    limit : of the texts that are explained and perturbed.
    runs : those that are resolved; None for one that is being resolved.
    scores : by the ids of runs the methods whose scores on every split others take.
    """

    study: Study
    places: Folders
    limit: Optional[int]
    contents: Contents
    runs: Dict[RunKey, Optional[ResolvedRun]] = field(default_factory=dict)
    scores: Dict[str, Dict[str, None]] = field(default_factory=dict)

    def run(self, key: RunKey) -> ResolvedRun:
        if key not in self.runs:
            # Whoever comes by before it is known is in a circle.
            self.runs[key] = None
            run = self.study.runs[key]
            config, identities, needs = self._resolved(run.config, key)
            identity = hash_of(with_contents(identities, self.contents))
            self.runs[key] = ResolvedRun(run, config, identity, needs)
        resolved = self.runs[key]
        if resolved is None:
            raise StudyError(f"the run {key} refers, by way of others, to itself")
        return resolved

    def folder(self, run: ResolvedRun) -> Path:
        return self.places.runs / run.id

    def scores_folder(self, run: ResolvedRun, method: str) -> Path:
        """Of its scores on every split; attention has a place of its own, where it always was."""
        if method == GUIDING:
            return self.places.runs / "guides" / run.id
        return self.places.runs / "scores" / f"{run.id}-{fit_for_a_file(method)}"

    def file(self, kind: FileKind, run: ResolvedRun, name: str) -> MadeFile:
        stated, split = run.run.files[kind][name], run.run.split
        data = run.config[SPLITS[split]]
        if kind == FAITHFULNESS:
            judging = Judging(**stated)
            methods = run.run.files[ATTRIBUTIONS][judging.attributions]
            identities = {**stated, "attributions": with_first_names(methods)}
            return MadeFile(
                self._path(kind, run, identities),
                str(self.file(ATTRIBUTIONS, run, judging.attributions).path),
                (
                    ("--data", (data,)),
                    ("--measures", tuple(judging.measures)),
                    ("--erasures", tuple(judging.erasures)),
                    ("--limit", () if judging.limit is None else (judging.limit,)),
                ),
                tuple(methods),
                split,
                min((limit for limit in (self.limit, judging.limit) if limit), default=None),
                needs=(run.making(ATTRIBUTIONS),),
                judging=judging,
            )
        methods, identities, needs = self._resolved(stated, run.run.key)
        path = self._path(kind, run, with_first_names(identities))
        options = ((OPTIONS[kind], tuple(methods)),)
        return MadeFile(path, data, options, tuple(methods), split, self.limit, needs)

    def scores_files(self, run: ResolvedRun) -> List[MadeFile]:
        """What others take of its scores, of all texts."""
        return [
            MadeFile(
                self.scores_folder(run, method) / f"{split}.parquet",
                run.config[setting],
                ((OPTIONS[ATTRIBUTIONS], (method,)),),
                (_stated(method),),
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
        return self.places.runs / kind.name / f"{name_of(run.config)}-{identity}.parquet"

    def _resolved(self, value: Any, key: RunKey) -> Tuple[Any, Any, Tuple[str, ...]]:
        """With paths in place of references, with identities in their place, and what it needs."""
        needs: Dict[str, None] = {}

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
                methods = with_first_names(other.run.files[ATTRIBUTIONS].get(reference.listed, []))
                limit = self.limit
            elif reference.kind == "scores":
                methods = with_first_names([_stated(reference.listed)])
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
        """For a run that the study does have with its first seed."""
        first = replace(missing, seed=self.study.seeds[0])
        if reference.kind == "scores" or first not in self.study.runs:
            return ""
        return "; it takes as many seeds as the run that refers to it, or `one_base: true`"


def _stated(method: str) -> Any:
    """As a study states it: by its name, or with options."""
    if not method.startswith("{"):
        return method
    try:
        return read_json(method)
    except ValueError as error:
        raise StudyError(f"the method {method} of a reference to scores is not JSON") from error
