"""
Families of models: a model with all its seeds, its adversaries, its uniform sibling, and its perturbation files.
Configs decide what belongs together, never the names of files.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Protocol, TypeVar

from analysis.errors import AnalysisError
from analysis.model_config import ADVERSARY, PLAIN, UNIFORM, Adversary, ModelConfig
from analysis.models import Model, check_same_texts, protocol_of, without_seeds
from analysis.output import slug
from analysis.papers.shared.paper import ATTENTION
from analysis.papers.shared.study_files import StudyFiles
from analysis.text_files import Attributions, Perturbations, TextFile, run_folder
from analysis.written import listed

# A base, and the model that is compared with it.
Pair = tuple[Attributions, Attributions]


class Configured(Protocol):
    @property
    def config(self) -> ModelConfig: ...


AnyModel = TypeVar("AnyModel", bound=Configured)


@dataclass(frozen=True)
class ModelFamily:
    """
    Files of a model and its relatives, about the same texts.

    files : all seeds of the model.
    bases : the seeds that adversaries name; the first seed if there are no adversaries.
    name : the name of the model.
    adversaries : sorted by lambda; frozen ones last.
    uniform : the model of the same corpus and encoder with uniform attention.
    perturbed : pairs of a seed and its perturbation file.
    """

    files: tuple[Attributions, ...]
    bases: tuple[Attributions, ...]
    name: str
    adversaries: list[Model] = field(default_factory=list)
    uniform: Model | None = None
    perturbed: tuple[tuple[Attributions, Perturbations], ...] = ()

    @property
    def base(self) -> Attributions:
        """The first base, which represents all where only one can be shown."""
        return self.bases[0]

    @property
    def title(self) -> str:
        """The title of headings."""
        return f"{self.base.model.corpus}, {self.name}"

    @property
    def key(self) -> str:
        """A unique part of file names."""
        return slug(self.base.model.corpus, self.name)

    @property
    def described(self) -> str:
        """Data, model and n, for captions."""
        corpus, texts = self.base.model.corpus, len(self.base.table)
        seeds = listed([str(base.model.seed) for base in self.bases])
        word = "seed" if len(self.bases) == 1 else "seeds"
        return f"{corpus} ({texts} texts): {self.name}, {word} {seeds}"

    @property
    def protocol(self) -> str:
        """How the bases were trained."""
        return protocol_of(self.base.model.config)

    def adversaries_of(self, frozen: bool) -> list[Model]:
        """The adversaries that are frozen, or those that are not."""
        return [model for model in self.adversaries if settings_of(model.config).frozen is frozen]

    def pairs(self, model: Model) -> list[Pair]:
        """
        Each seed of a model with the base that it was trained against. Seeds of a model without bases are paired with
        the base of the same seed if all have one, else with the first base.
        """
        if model.config.role == ADVERSARY:
            bases = {run_folder(base.metadata["archive"]): base for base in self.bases}
            return [(bases[base_of(file)], file) for file in model.files]
        by_seed = {base.model.seed: base for base in self.bases}
        if all(file.model.seed in by_seed for file in model.files):
            return [(by_seed[file.model.seed], file) for file in model.files]
        return [(self.base, file) for file in model.files]

    @property
    def other_seeds(self) -> list[Pair]:
        """
        Bases paired with other seeds of the model: a single base with all others, several bases with the seeds that
        are not bases in turn. If all seeds are bases, each is paired with the next, and no two of them twice.
        """
        bases = {base.path for base in self.bases}
        others = [file for file in self.files if file.path not in bases]
        if others:
            return list(zip(cycle(self.bases), others))
        number = len(self.bases)
        return [
            (self.bases[position], self.bases[(position + 1) % number])
            for position in range(number if number > 2 else number - 1)
        ]


def families(study: StudyFiles) -> tuple[list[ModelFamily], str | None]:
    """
    All families of a study, and an error message on the first adversary without its base among the files, or the first
    file without attention, if there is any.
    """
    said = [ATTENTION.problem(file) for model in study.models for file in model.files]
    problems = [problem for problem in said if problem]
    usable = [
        model for model in study.models if not any(ATTENTION.problem(file) for file in model.files)
    ]
    plain = [model for model in usable if model.config.role == PLAIN]
    owners = {
        run_folder(file.metadata["archive"]): model for model in plain for file in model.files
    }
    attackers: dict[int, dict[str, Model]] = {id(model): {} for model in plain}
    for model in usable:
        for file in model.files if model.config.role == ADVERSARY else ():
            if base_of(file) not in owners:
                problems.append(
                    f"{file.path}: its base, {file.model.adversary.base}, has no attribution file "
                    "among those given"
                )
                continue
            # Adversaries that differ only in seed and base are seeds of one adversary.
            alike = attackers[id(owners[base_of(file)])]
            known = alike.get(without_seeds(file), Model(model.name, ()))
            alike[without_seeds(file)] = Model(known.name, (*known.files, file))
    all_families = [
        _family(model, list(attackers[id(model)].values()), study, usable) for model in plain
    ]
    return all_families, problems[0] if problems else None


def settings_of(config: ModelConfig) -> Adversary:
    """The settings of a config that trains an adversary."""
    if config.adversary is None:
        raise AnalysisError(f"{config.name}: was not trained as an adversary")
    return config.adversary


def base_of(adversary: TextFile) -> Path:
    """The run folder of the base of an adversary."""
    return run_folder(settings_of(adversary.model).base)


def _family(
    model: Model, adversaries: list[Model], study: StudyFiles, usable: list[Model]
) -> ModelFamily:
    named = {base_of(file) for adversary in adversaries for file in adversary.files}
    bases = [file for file in model.files if run_folder(file.metadata["archive"]) in named]
    for adversary in adversaries:
        check_same_texts([model.files[0], *adversary.files])
    base = (bases or model.files)[0]
    siblings = uniform_siblings(
        base.model, [one for one in usable if _same_data(one.files[0], base)]
    )
    return ModelFamily(
        files=model.files,
        bases=tuple(bases) or model.files[:1],
        name=model.name,
        adversaries=sorted(
            adversaries,
            key=lambda one: (settings_of(one.config).frozen, settings_of(one.config).lambda_),
        ),
        uniform=next(iter(siblings), None),
        perturbed=tuple(
            (file, perturbed)
            for file in model.files
            for one in study.perturbed
            for perturbed in one.files
            if _same_model(perturbed, file) and _same_data(perturbed, file)
        ),
    )


def uniform_siblings(base: ModelConfig, models: Iterable[AnyModel]) -> list[AnyModel]:
    """Uniform models of the same corpus and encoder; if some have the same protocol, only these."""
    uniform = [
        one
        for one in models
        if one.config.role == UNIFORM
        and (one.config.corpus, one.config.encoder) == (base.corpus, base.encoder)
    ]
    protocol = protocol_of(base.config)
    return [one for one in uniform if protocol_of(one.config.config) == protocol] or uniform


def _same_model(one: TextFile, other: TextFile) -> bool:
    """Whether weights agree; for files without a hash of the weights, the archives or their locations."""
    learned, archives = (
        [file.metadata.get(name) for file in (one, other)]
        for name in ("weights_sha256", "archive_sha256")
    )
    if all(learned):
        return learned[0] == learned[1]
    positions = {run_folder(file.metadata["archive"]) for file in (one, other)}
    return len(positions) == 1 or (all(archives) and archives[0] == archives[1])


def _same_data(one: TextFile, other: TextFile) -> bool:
    return one.metadata.get("data_sha256") == other.metadata.get("data_sha256")
