"""
Which models belong together: a base, the same model with other seeds, its adversaries, its uniform
sibling, and what became of it under other attention. Configs decide, never the names of files.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from analysis.attributions import Attributions
from analysis.model_config import ADVERSARY, PLAIN, UNIFORM
from analysis.models import Model, check_same_texts, protocol_of
from analysis.output import slug
from analysis.papers.shared.methods import ATTENTION
from analysis.papers.shared.study_files import StudyFiles
from analysis.perturbations import Perturbations
from analysis.text_files import TextFile, place_of


@dataclass(frozen=True)
class ModelFamily:
    """
    Files about the same texts.

    base : the seed that adversaries name; the first one given where there are none.
    name : of the base's model.
    seeds : the other seeds of that model.
    adversaries : by lambda, rising; frozen ones stand behind the others.
    uniform : the model of the same corpus and encoder that has no attention to learn.
    perturbed : the base under other attention.
    """

    base: Attributions
    name: str
    seeds: Tuple[Attributions, ...] = ()
    adversaries: List[Model] = field(default_factory=list)
    uniform: Optional[Model] = None
    perturbed: Optional[Perturbations] = None

    @property
    def title(self) -> str:
        """For headings."""
        return f"{self.base.model.corpus}, {self.name}"

    @property
    def key(self) -> str:
        """For names of files: unlike that of any other family."""
        return slug(self.base.model.corpus, self.name, f"seed {self.base.model.seed}")

    @property
    def described(self) -> str:
        """Data, model and n, for captions."""
        corpus, texts = self.base.model.corpus, len(self.base.table)
        return f"{corpus} ({texts} texts): {self.name}, seed {self.base.model.seed}"

    @property
    def protocol(self) -> str:
        """How the base was trained."""
        return protocol_of(self.base.model.config)

    def adversaries_of(self, frozen: bool) -> List[Model]:
        """Those that are frozen, or those that are not."""
        return [model for model in self.adversaries if model.config.adversary.frozen is frozen]


def families(study: StudyFiles) -> Tuple[List[ModelFamily], Optional[str]]:
    """
    All families of a study; and a sentence on the first adversary that has no base among the files,
    or file that has no attention, if there is any.
    """
    said = [ATTENTION.problem(file) for model in study.models for file in model.files]
    problems = [problem for problem in said if problem]
    usable = [
        model for model in study.models if not any(ATTENTION.problem(file) for file in model.files)
    ]
    plain = [model for model in usable if model.config.role == PLAIN]
    bases = {place_of(file.metadata["archive"]): file for model in plain for file in model.files}
    named: Dict[str, List[Model]] = {}
    for model in usable:
        for place, several in by_base(model).items():
            if place in bases:
                named.setdefault(str(bases[place].path), []).append(Model(model.name, several))
            else:
                problems.append(
                    f"{several[0].path}: its base, {several[0].model.adversary.base}, has no "
                    "attribution file among those given"
                )
    all_families = [
        _family(model, base, named.get(str(base.path), []), study, usable)
        for model in plain
        for base in _bases(model, named)
    ]
    return all_families, problems[0] if problems else None


def by_base(model: Model) -> Dict[Path, Tuple[Attributions, ...]]:
    """The files of an adversary, by the run of the base that each names; none of another model."""
    found: Dict[Path, Tuple[Attributions, ...]] = {}
    for file in model.files if model.config.role == ADVERSARY else ():
        place = place_of(file.model.adversary.base)
        found[place] = (*found.get(place, ()), file)
    return found


def _bases(model: Model, named: Dict[str, List[Model]]) -> List[Attributions]:
    """The seeds that adversaries name, else the first."""
    return [file for file in model.files if str(file.path) in named] or [model.files[0]]


def _family(
    model: Model,
    base: Attributions,
    adversaries: List[Model],
    study: StudyFiles,
    usable: List[Model],
) -> ModelFamily:
    ordered = sorted(
        adversaries,
        key=lambda one: (one.config.adversary.frozen, one.config.adversary.lambda_),
    )
    for adversary in ordered:
        check_same_texts([base, *adversary.files])
    return ModelFamily(
        base=base,
        name=model.name,
        seeds=tuple(file for file in model.files if file is not base),
        adversaries=ordered,
        uniform=next((one for one in usable if _is_uniform_sibling(one, base)), None),
        perturbed=next(
            (
                file
                for one in study.perturbed
                for file in one.files
                if _same_model(file, base) and _same_data(file, base)
            ),
            None,
        ),
    )


def _is_uniform_sibling(model: Model, base: Attributions) -> bool:
    one, other = model.config, base.model
    return (
        one.role == UNIFORM
        and (one.corpus, one.encoder) == (other.corpus, other.encoder)
        and _same_data(model.files[0], base)
    )


def _same_model(one: TextFile, other: TextFile) -> bool:
    hashes = {file.metadata.get("archive_sha256") for file in (one, other)}
    places = {place_of(file.metadata["archive"]) for file in (one, other)}
    return len(hashes) == 1 or len(places) == 1


def _same_data(one: TextFile, other: TextFile) -> bool:
    return one.metadata.get("data_sha256") == other.metadata.get("data_sha256")
