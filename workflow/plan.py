"""A study as steps: full configs, content-addressed folders, commands, and what needs what."""

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from workflow import costs
from workflow.contents import Contents
from workflow.errors import StudyError
from workflow.identity import hash_of, name_of, with_contents, with_references
from workflow.steps import ATTRIBUTE, PERTURB, TRAIN, Step
from workflow.study import RUNS, SPLITS, Run, RunKey, Study, Table
from workflow.tables import Asked, parts, table_steps

MODELS = Table("models", (), (RUNS,))
# What a guided model takes: the attention of another on every split.
GUIDE = ("attention",)


@dataclass(frozen=True)
class Places:
    """
    runs : where run folders and what is made of them lie, shared by all studies.
    results : where the folders of the studies lie.
    """

    runs: Path = Path("runs")
    results: Path = Path("results")


@dataclass(frozen=True)
class Plan:
    study: Study
    places: Places
    results: Path
    steps: Dict[str, Step]
    # Of the texts that are explained and perturbed.
    limit: Optional[int] = None

    def to_json(self) -> str:
        """With the steps that are not done yet, as the engine reads it."""
        pending = {name: step for name, step in self.steps.items() if not step.is_done}
        steps = {}
        for name, step in pending.items():
            needs = [need for need in step.needs if need in pending]
            steps[name] = asdict(replace(step, needs=tuple(needs)))
        return json.dumps({"runs": str(self.places.runs), "steps": steps}, indent=1)


def read_steps(plan: Path) -> Dict[str, Step]:
    """The steps of `Plan.to_json`."""
    stored = json.loads(plan.read_text(encoding="utf-8"))["steps"]
    return {name: _step(**fields) for name, fields in stored.items()}


def _step(commands: Any, outputs: Any, needs: Any, **fields: Any) -> Step:
    return Step(
        commands=tuple(map(tuple, commands)),
        outputs=tuple(outputs),
        needs=tuple(needs),
        **fields,
    )


def make_plan(study: Study, places: Places, limit: Optional[int] = None) -> Plan:
    """`limit`: of the texts that are explained and perturbed."""
    if limit is not None and limit < 1:
        raise StudyError(f"the limit is {limit}, but must be 1 or more")
    return _Planner(study, places, limit).plan()


@dataclass(frozen=True)
class _Trained:
    """A run with its references resolved."""

    run: Run
    config: Dict[str, Any]
    identity: str
    needs: Tuple[str, ...]

    @property
    def id(self) -> str:
        return f"{name_of(self.config)}-{self.identity}"

    @property
    def seeds_of(self) -> str:
        return f"{self.run.key.corpus}/{self.run.key.name}"


@dataclass
class _Planner:
    study: Study
    places: Places
    limit: Optional[int]
    trained: Dict[RunKey, Optional[_Trained]] = field(default_factory=dict)
    # Whose attention other runs are guided by.
    guides: Dict[str, None] = field(default_factory=dict)
    steps: Dict[str, Step] = field(default_factory=dict)

    def plan(self) -> Plan:
        self.contents = Contents(self.places.runs / "contents.json")
        for key in self.study.runs:
            self._train(key)
        made = [each for each in self.trained.values() if each is not None]
        for each in made:
            self._attribute(each)
        for each in made:
            self._perturb(each)
        self.contents.save()
        results = self.places.results / self._folder()
        self._tables(results, made)
        return Plan(self.study, self.places, results, self.steps, self.limit)

    def _folder(self) -> str:
        """The study, and what of it: `jain_wallace_2019-sst`, `pruthi_2020-quick`."""
        if self.study.size == "quick":
            return f"{self.study.name}-quick"
        return "-".join([self.study.name, *self.study.chosen])

    def _train(self, key: RunKey) -> _Trained:
        if key in self.trained:
            found = self.trained[key]
            if found is None:
                raise StudyError(f"the run {key} refers, by way of others, to itself")
            return found
        # Until it is known; whoever comes by before is in a circle.
        self.trained[key] = None
        run = self.study.runs[key]
        config, identities, needs = self._resolved(run.config, key)
        identity = hash_of(with_contents(identities, self.contents))
        self.trained[key] = made = _Trained(run, config, identity, needs)
        folder = str(self.places.runs / made.id)
        file = str(self.places.runs / "configs" / f"{made.id}.json")
        command = ("-m", "attention_explain", "train", file, "-s", folder)
        self._add(
            Step(
                f"train-{made.id}",
                TRAIN,
                str(key),
                made.seeds_of,
                ((*command, "--file-friendly-logging"),),
                (folder,),
                needs,
                identity,
                costs.training(config, self.contents),
                config,
            )
        )
        return made

    def _resolved(self, value: Any, key: RunKey) -> Tuple[Any, Any, Tuple[str, ...]]:
        """With paths in place of references, with identities in their place, and what it needs."""
        needs: Dict[str, None] = {}

        def path(kind: str, name: str) -> str:
            name, _, listed = name.partition("/")
            other = self._train(self._referred(key, name))
            if kind == "run":
                needs[f"train-{other.id}"] = None
                return str(self.places.runs / other.id)
            needs[f"attribute-{other.id}"] = None
            if kind == "guide":
                self.guides[other.id] = None
                return str(self._guide(other))
            if listed not in other.run.attributions:
                raise StudyError(f"the run {key} refers to attributions that {name} does not have")
            return str(self._attribution(other, listed))

        def identity(kind: str, name: str) -> str:
            name, _, listed = name.partition("/")
            other = self._train(self._referred(key, name))
            lists = other.run.attributions
            return f"<{kind}:{hash_of([other.identity, lists.get(listed), self._limit(kind)])}>"

        return with_references(value, path), with_references(value, identity), tuple(needs)

    def _limit(self, kind: str) -> Optional[int]:
        return self.limit if kind == "attributions" else None

    def _referred(self, key: RunKey, name: str) -> RunKey:
        """As published: one base, and all that is held against it with any seed."""
        other = RunKey(key.corpus, name, self.study.seeds[0])
        if other not in self.study.runs:
            raise StudyError(f"the run {key} refers to {other}, which the study does not have")
        return other

    def _attribute(self, made: _Trained) -> None:
        wanted: List[Tuple[Path, Sequence[Any], str, Optional[int]]] = [
            (self._attribution(made, name), methods, made.run.split, self.limit)
            for name, methods in made.run.attributions.items()
        ]
        if made.id in self.guides:
            wanted += [
                (self._guide(made) / f"{split}.parquet", GUIDE, split, None)
                for split, setting in SPLITS.items()
                if setting in made.config
            ]
        self._explain(ATTRIBUTE, made, wanted, (), "--interpreters")

    def _perturb(self, made: _Trained) -> None:
        wanted = []
        needs: Dict[str, None] = {}
        for stated in made.run.perturbations.values():
            methods, identities, others = self._resolved(stated, made.run.key)
            needs.update(dict.fromkeys(others))
            file = self._file("perturbations", made, identities)
            wanted.append((file, methods, made.run.split, self.limit))
        self._explain(PERTURB, made, wanted, tuple(needs), "--perturbations")

    def _explain(
        self,
        kind: str,
        made: _Trained,
        wanted: Sequence[Tuple[Path, Sequence[Any], str, Optional[int]]],
        needs: Tuple[str, ...],
        option: str,
    ) -> None:
        """One process for all of it: the start of one costs as much as hundreds of texts."""
        if not wanted:
            return
        commands = []
        seconds = costs.START
        for file, methods, split, limit in wanted:
            data = made.config[SPLITS[split]]
            listed = [each if isinstance(each, str) else json.dumps(each) for each in methods]
            command = ["-m", "attention_explain", kind, str(self.places.runs / made.id), data]
            command += ["-o", str(file), option, *listed, "--file-friendly-logging"]
            commands.append((*command, *(() if limit is None else ("--limit", str(limit)))))
            seconds += costs.explaining(made.config, split, methods, limit, self.contents)
        outputs = tuple(str(file) for file, *_ in wanted)
        self._add(
            Step(
                f"{kind}-{made.id}",
                kind,
                str(made.run.key),
                made.seeds_of,
                tuple(commands),
                outputs,
                (f"train-{made.id}", *needs),
                hash_of(outputs),
                seconds,
            )
        )

    def _attribution(self, made: _Trained, name: str) -> Path:
        return self._file("attributions", made, made.run.attributions[name])

    def _file(self, folder: str, made: _Trained, methods: Any) -> Path:
        setting = SPLITS[made.run.split]
        data = {"data_path": with_contents(made.config, self.contents)[setting]}
        identity = hash_of([made.identity, data, methods, self.limit])
        return self.places.runs / folder / f"{name_of(made.config)}-{identity}.parquet"

    def _guide(self, made: _Trained) -> Path:
        return self.places.runs / "guides" / made.id

    def _tables(self, results: Path, made: Sequence[_Trained]) -> None:
        """Those of the study, one of all runs, and a page for each folder that gets any."""
        asked = [
            Asked(table, part.folder, part.about, self._files(table, part.runs))
            for table in (MODELS, *self.study.tables)
            for part in parts(table, results, made)
        ]
        for step in table_steps(asked, results):
            self._add(step)

    def _files(self, table: Table, chosen: Sequence[_Trained]) -> Dict[str, str]:
        found = (self._source(source, each) for source in table.sources for each in chosen)
        return dict(one for one in found if one is not None)

    def _source(self, source: str, made: _Trained) -> Optional[Tuple[str, str]]:
        """The file or folder, and the step that makes it."""
        if source == RUNS:
            return str(self.places.runs / made.id), f"train-{made.id}"
        kind, _, name = source.partition("/")
        lists = getattr(made.run, kind)
        if name not in lists:
            return None
        if kind == "attributions":
            return str(self._attribution(made, name)), f"attribute-{made.id}"
        _, identities, _ = self._resolved(lists[name], made.run.key)
        return str(self._file(kind, made, identities)), f"perturb-{made.id}"

    def _add(self, step: Step) -> None:
        """Two names of a study may stand for the same run, each with its own attributions."""
        known = self.steps.get(step.name)
        if known is not None:
            step = replace(
                known,
                commands=tuple(dict.fromkeys([*known.commands, *step.commands])),
                outputs=tuple(dict.fromkeys([*known.outputs, *step.outputs])),
                needs=tuple(dict.fromkeys([*known.needs, *step.needs])),
            )
        self.steps[step.name] = step
