"""What a verdict rests on: the files of one model, of all its seeds, about the same texts."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import List, Optional, Sequence, Tuple, Union

import numpy

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured, measured
from analysis.model_config import ADVERSARY
from analysis.models import Model, check_same_texts
from analysis.papers.shared.families import base_of
from analysis.papers.shared.study_files import StudyFiles, load_models, load_study
from analysis.performance import no_better_than_majority, nothing_to_judge
from analysis.text_files import TextFile, place_of

FOLDER = "files"
# What a verdict begins with: it may be all that is needed.
PREDICTIONS = "predictions"
ATTENTION = "attention"


@dataclass(frozen=True)
class Files:
    """
    explained : of attribution files.
    judged : of faithfulness files; None where there is nothing to judge, and nobody did.
    perturbed : of perturbation files; None where there are none.
    adversaries : of attribution files, of models that were trained to attend otherwise than these.
    """

    explained: Model
    judged: Optional[Model]
    perturbed: Optional[Model] = None
    adversaries: Tuple[Model, ...] = ()

    @property
    def every(self) -> List[TextFile]:
        """All that was read."""
        models = (self.explained, self.perturbed, self.judged, *self.adversaries)
        return [file for model in models if model for file in model.files]

    @property
    def texts(self) -> int:
        return len(self.explained.files[0].texts)

    @property
    def data(self) -> str:
        """The texts' name for people: as the reader's options have it, else the path's last parts."""
        config = self.explained.config
        path = PurePath(str(self.explained.files[0].metadata.get("data") or ""))
        # A word alone is a part of an embedded corpus.
        is_file = bool(path.suffix) or len(path.parts) > 1
        return "/".join(path.parts[-2:]) if is_file and not config.names_corpus else config.corpus

    @property
    def seeds(self) -> int:
        return len(self.explained.files)

    @property
    def weights(self) -> Tuple[str, ...]:
        """A hash of what each seed has learned; empty where a file is too old to say it."""
        said = [file.metadata.get("weights_sha256") for file in self.explained.files]
        return tuple(said) if all(said) else ()

    @cached_property
    def nothing(self) -> str:
        """Why there is nothing to judge; empty where there is something."""
        return _nothing(self.explained)

    @cached_property
    def measured(self) -> List[Measured]:
        """All measures of faithfulness."""
        return measured(self.judged)

    def perturbed_by(self, perturbation: str, field: str) -> Optional[numpy.ndarray]:
        """A number a text under each seed; None where that was not tried. Shape: (seeds, texts)"""
        column = f"{perturbation}.{field}"
        if self.perturbed is None or column not in self.perturbed.files[0].table:
            return None
        return numpy.array(
            [
                file.table[column].to_numpy(dtype=float, na_value=numpy.nan)
                for file in self.perturbed.files
            ]
        )

    def milliseconds(self, method: str) -> Optional[float]:
        """A text, where the files say how long it took."""
        spent = [
            1000 * file.metadata["seconds"][method] / file.metadata.get("instances", self.texts)
            for file in self.explained.files
            if method in file.metadata.get("seconds", {})
        ]
        return float(numpy.mean(spent)) if spent else None


def load_files(places: Union[str, Path, Sequence[Path]]) -> Files:
    """
    From the folder of a verdict, or from files one by one, whatever they are called; raises
    `AnalysisError` for what no verdict can rest on.
    """
    one = isinstance(places, (str, Path))
    several = [_files_in(Path(places))] if one else list(places)
    where = Path(places) if one else several[0]
    study = load_study(several)
    attacks = [model for model in study.models if _attacks(model, study.models)]
    own = [model for model in study.models if model not in attacks]
    for model in own:
        if model.config.role == ADVERSARY and any(one.config.role != ADVERSARY for one in own):
            raise AnalysisError(
                f"{model.files[0].path}: is of an adversary of {model.config.adversary.base}, of which "
                "there is no attribution file"
            )
    explained = _one(own, where, "attribution", "allennlp attribute")
    judged = None
    if study.judged or not _nothing(explained):
        judged = _one(study.judged, where, "faithfulness", "allennlp faithfulness")
    perturbed = (
        _one(study.perturbed, where, "perturbation", "allennlp perturb")
        if study.perturbed
        else None
    )
    files = Files(explained, judged, perturbed, tuple(attacks))
    check_same_texts(files.every)
    for model in filter(None, (explained, judged)):
        if ATTENTION not in model.files[0].methods:
            raise AnalysisError(
                f"{model.files[0].path}: has no method '{ATTENTION}', which the verdict is about"
            )
    return files


def nothing_in(folder: Path) -> str:
    """Why the predictions of a model leave nothing to judge; empty where there is something."""
    return _nothing(_one(load_models([folder]), folder, "attribution", "allennlp attribute"))


def files_of_study(study: StudyFiles) -> List[Files]:
    """
    What a verdict can rest on, of each model whose attention was judged and whose files are about
    the same texts; of others nothing.
    """
    of_models: List[Files] = []
    for judged in study.judged:
        methods = judged.files[0].methods
        scored = [each for each in study.models if {*methods} <= {*each.files[0].methods}]
        explained = next(iter(_of_same(judged, scored)), None)
        if explained is None or ATTENTION not in methods:
            continue
        # Of several perturbation files, those that say most.
        perturbed = max(
            _of_same(judged, study.perturbed),
            key=lambda each: len(each.files[0].declared),
            default=None,
        )
        attacks = tuple(
            model
            for model in study.models
            if _attacks(model, [explained]) and _same_texts(model.files[0], judged.files[0])
        )
        of_models.append(Files(explained, judged, perturbed, attacks))
    return of_models


def _of_same(judged: Model, models: Sequence[Model]) -> List[Model]:
    """Of the models those with the same weights, on the same texts; without the other seeds."""
    seeds = {file.learned for file in judged.files}
    of_seeds = [
        Model(model.name, tuple(file for file in model.files if file.learned in seeds))
        for model in models
    ]
    return [
        model
        for model in of_seeds
        if len(model.files) == len(seeds)
        and all(_same_texts(file, judged.files[0]) for file in model.files)
    ]


def _same_texts(one: TextFile, other: TextFile) -> bool:
    return (
        one.metadata.get("data_sha256") == other.metadata.get("data_sha256")
        and one.texts["id"].tolist() == other.texts["id"].tolist()
    )


def _nothing(explained: Model) -> str:
    # Whatever it was trained to attend to: without predictions there is nothing to explain.
    return nothing_to_judge(explained.files) or no_better_than_majority(explained.files) or ""


def _files_in(folder: Path) -> Path:
    place = folder / FOLDER
    if not place.is_dir() and (folder / PREDICTIONS).is_dir():
        return folder / PREDICTIONS
    if not place.is_dir():
        raise AnalysisError(
            f"{folder}: has no folder '{FOLDER}'; `allennlp verdict` writes into it what a verdict "
            "rests on"
        )
    return place


def _attacks(model: Model, models: Sequence[Model]) -> bool:
    """Whether it was trained to attend otherwise than one of the others."""
    if model.config.role != ADVERSARY:
        return False
    bases = {base_of(file) for file in model.files}
    return any(
        bases <= {place_of(file.metadata["archive"]) for file in other.files}
        for other in models
        if other is not model
    )


def _one(models: Sequence[Model], place: Path, kind: str, command: str) -> Model:
    if not models:
        raise AnalysisError(f"{place}: has no {kind} file (*.parquet) of `{command}`")
    if len(models) > 1:
        first, second = (model.files[0].path.name for model in models[:2])
        raise AnalysisError(
            f"{place}: {first} and {second} are not of seeds of one model (configs or methods "
            "differ); a verdict is about one"
        )
    return models[0]
