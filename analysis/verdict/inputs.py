"""Inputs of a verdict: the files of one model, for all its seeds and the same texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath

import numpy

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured, measured
from analysis.models import Model, check_same_texts
from analysis.papers.shared.families import base_of
from analysis.papers.shared.study_files import StudyFiles, load_models, load_study
from analysis.performance import no_better_than_majority, nothing_to_judge
from analysis.text_files import Attributions, FaithfulnessFile, Perturbations, TextFile, run_folder
from attention_explain.costs import Passes, passes
from attention_explain.files.faithfulness import RELEVANCE

RELIABILITY = "reliability"
FILES = "files"
# Made first: they may show that there is nothing to judge.
PREDICTIONS = "predictions"
ATTENTION = "attention"


@dataclass(frozen=True)
class VerdictInputs:
    """
    attributions : the attribution files.
    faithfulness : the faithfulness files; None if there is nothing to judge.
    perturbations : the perturbation files, if there are any.
    adversaries : attribution files of models that were trained to attend differently from this one.
    """

    attributions: Model[Attributions]
    faithfulness: Model[FaithfulnessFile] | None
    perturbations: Model[Perturbations] | None = None
    adversaries: tuple[Model[Attributions], ...] = ()

    @property
    def files(self) -> list[TextFile]:
        """All of them."""
        models = (self.attributions, self.perturbations, self.faithfulness, *self.adversaries)
        return [file for model in models if model for file in model.files]

    @property
    def texts(self) -> int:
        return len(self.attributions.files[0].texts)

    @property
    def data(self) -> str:
        """The name of the texts for people: that of the corpus, else the end of their path."""
        config = self.attributions.config
        path = PurePath(str(self.attributions.files[0].metadata.get("data") or ""))
        # A single word is a split of an embedded corpus.
        is_file = bool(path.suffix) or len(path.parts) > 1
        return "/".join(path.parts[-2:]) if is_file and not config.names_corpus else config.corpus

    @property
    def seeds(self) -> int:
        return len(self.attributions.files)

    @property
    def weights(self) -> tuple[str, ...]:
        """A hash of the weights of each seed; empty if a file is too old to have one."""
        files = self.attributions.files
        hashes = [str(file.metadata.get("weights_sha256") or "") for file in files]
        return tuple(hashes) if all(hashes) else ()

    @cached_property
    def nothing(self) -> str:
        """Why there is nothing to judge; empty if there is something."""
        return _nothing(self.attributions)

    @property
    def judged(self) -> Model[FaithfulnessFile]:
        """The faithfulness files, which a model has if there is something to judge."""
        if self.faithfulness is None:
            raise ValueError("a model without faithfulness files has no scores")
        return self.faithfulness

    @cached_property
    def measured(self) -> list[Measured]:
        """All faithfulness measures."""
        return measured(self.judged)

    @cached_property
    def reliability(self) -> dict[str, float]:
        """
        By removal method, the split-half reliability of the relevance of words with the permutations that were
        used, the lowest over seeds. Without those for which it is not known.
        """
        lowest: dict[str, float] = {}
        for file in self.judged.files:
            samplings = file.metadata.get("samplings", {}).get(RELEVANCE, {})
            for removal, sampling in samplings.items():
                reached = sampling["reliability"].get(sampling["output"])
                if reached is not None:
                    lowest[removal] = min(lowest.get(removal, 1.0), reached)
        return lowest

    @cached_property
    def reliability_by_text(self) -> dict[str, float]:
        """By text, the lowest split-half reliability of the relevance of its words in the first seed."""
        table = self.judged.files[0].table
        if RELIABILITY not in table:
            return {}
        rows = table[(table["measure"] == RELEVANCE) & table[RELIABILITY].notna()]
        return rows.groupby("id")[RELIABILITY].min().astype(float).to_dict()

    def perturbation_values(self, perturbation: str, field: str) -> numpy.ndarray | None:
        """One number per seed and text; None if this perturbation was not tried. Shape: (seeds, texts)"""
        column = f"{perturbation}.{field}"
        if self.perturbations is None or column not in self.perturbations.files[0].table:
            return None
        return numpy.array(
            [
                file.table[column].to_numpy(dtype=float, na_value=numpy.nan)
                for file in self.perturbations.files
            ]
        )

    def passes(self, method: str) -> Passes:
        """The passes of a method through the model for a text of these lengths, as it declares them."""
        lengths = self.attributions.files[0].token_counts
        # Costs are linear in the length: the mean length of the text that a token is in.
        tokens = float((lengths**2).sum() / max(lengths.sum(), 1))
        options = self.attributions.files[0].declared.get(method, {}).get("parameters", {})
        return passes("interpreters", options.get("type", method), options, tokens)


def load_inputs(paths: str | Path | Sequence[Path]) -> VerdictInputs:
    """
    Read the folder of a verdict, or a list of its files. Raises `AnalysisError` if they are not enough for
    a verdict.
    """
    if isinstance(paths, (str, Path)):
        where, several = Path(paths), [_files_in(Path(paths))]
    else:
        where, several = paths[0], list(paths)
    study = load_study(several)
    attacks = [model for model in study.models if _attacks(model, study.models)]
    own = [model for model in study.models if model not in attacks]
    for model in own:
        adversary = model.config.adversary
        if adversary is not None and any(one.config.adversary is None for one in own):
            raise AnalysisError(
                f"{model.files[0].path}: is of an adversary of {adversary.base}, whose "
                "attribution file is missing"
            )
    attributions = _one(own, where, "attribution", "allennlp attribute")
    faithfulness = perturbations = None
    if study.judged or not _nothing(attributions):
        faithfulness = _one(study.judged, where, "faithfulness", "allennlp faithfulness")
    if study.perturbed:
        perturbations = _one(study.perturbed, where, "perturbation", "allennlp perturb")
    inputs = VerdictInputs(attributions, faithfulness, perturbations, tuple(attacks))
    check_same_texts(inputs.files)
    for model in filter(None, (attributions, faithfulness)):
        if ATTENTION not in model.files[0].methods:
            raise AnalysisError(
                f"{model.files[0].path}: has no method '{ATTENTION}', which the verdict is about"
            )
    return inputs


def nothing_to_judge_in(folder: Path) -> str:
    """Why the predictions in a folder leave nothing to judge; empty if there is something."""
    return _nothing(_one(load_models([folder]), folder, "attribution", "allennlp attribute"))


def inputs_of_study(study: StudyFiles) -> list[VerdictInputs]:
    """Inputs for each model of a study whose attention was judged on the texts of its attribution file."""
    of_models: list[VerdictInputs] = []
    for judged in study.judged:
        methods = judged.files[0].methods
        scored = [each for each in study.models if {*methods} <= {*each.files[0].methods}]
        attributions = next(iter(_of_same(judged, scored)), None)
        if attributions is None or ATTENTION not in methods:
            continue
        # Of several perturbation files, those with the most perturbations.
        perturbations = max(
            _of_same(judged, study.perturbed),
            key=lambda each: len(each.files[0].declared),
            default=None,
        )
        attacks = tuple(
            model
            for model in study.models
            if _attacks(model, [attributions]) and _same_texts(model.files[0], judged.files[0])
        )
        of_models.append(VerdictInputs(attributions, judged, perturbations, attacks))
    return of_models


def _of_same(judged: Model, models: Sequence[Model]) -> list[Model]:
    """The models with the same weights and texts, restricted to the same seeds."""
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


def _nothing(attributions: Model) -> str:
    # The second also holds for models that were trained to attend elsewhere.
    return nothing_to_judge(attributions.files) or no_better_than_majority(attributions.files) or ""


def _files_in(folder: Path) -> Path:
    for name in (FILES, PREDICTIONS):
        if (folder / name).is_dir():
            return folder / name
    raise AnalysisError(
        f"{folder}: has no folder '{FILES}'. `allennlp verdict` writes the files of a verdict there."
    )


def _attacks(model: Model, models: Sequence[Model]) -> bool:
    """Whether it was trained to attend differently from one of the others."""
    if model.config.adversary is None:
        return False
    bases = {base_of(file) for file in model.files}
    return any(
        bases <= {run_folder(file.metadata["archive"]) for file in other.files}
        for other in models
        if other is not model
    )


def _one(models: Sequence[Model], where: Path, kind: str, command: str) -> Model:
    if not models:
        raise AnalysisError(f"{where}: has no {kind} file (*.parquet) of `{command}`")
    if len(models) > 1:
        first, second = (model.files[0].path.name for model in models[:2])
        raise AnalysisError(
            f"{where}: {first} and {second} are not from seeds of one model (configs or methods "
            "differ). A verdict is about one model."
        )
    return models[0]
