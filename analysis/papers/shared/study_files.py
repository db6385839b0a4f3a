"""
The files of a study: attribution, perturbation and faithfulness files, grouped by model, and training runs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow
import pyarrow.parquet

from analysis.errors import AnalysisError
from analysis.models import Model, check_same_texts, models_of
from analysis.output import Source
from analysis.runs import CONFIG, Run, load_run
from analysis.text_files import TextFile, load_attributions, load_faithfulness, load_perturbations
from attention_explain.files import attributions, faithfulness, perturbations

FORMATS = (attributions.FORMAT, perturbations.FORMAT, faithfulness.FORMAT)


@dataclass(frozen=True)
class StudyFiles:
    """
    models : models of attribution files.
    perturbed : models of perturbation files.
    judged : models of faithfulness files.
    runs : training runs, with or without such files.
    """

    models: list[Model] = field(default_factory=list)
    perturbed: list[Model] = field(default_factory=list)
    judged: list[Model] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        """All files that were read."""
        files = [
            file for model in (*self.models, *self.perturbed, *self.judged) for file in model.files
        ]
        return [*files, *self.runs]


def load_study(locations: Sequence[Path]) -> StudyFiles:
    """Load files, folders of files, and run folders, in any order."""
    paths, runs = [], {}
    for location in map(Path, locations):
        paths += _paths(location)
        if (location / CONFIG).is_file():
            runs[location.resolve()] = load_run(location)
    perturbed = [path for path in paths if perturbations.FORMAT.is_format_of(path)]
    judged = [path for path in paths if faithfulness.FORMAT.is_format_of(path)]
    attributed = [path for path in paths if path not in (*perturbed, *judged)]
    return StudyFiles(
        models=_models(map(load_attributions, attributed)),
        perturbed=_models(map(load_perturbations, perturbed)),
        judged=_models(map(load_faithfulness, judged)),
        runs=list(runs.values()),
    )


def load_models(locations: Sequence[Path]) -> list[Model]:
    """Load the models of attribution files alone."""
    return load_study(locations).models


def _models(files: Iterable[TextFile]) -> list[Model]:
    """Models of the files; their names are unique within a corpus."""
    by_corpus_name: dict[str, list[TextFile]] = {}
    for file in files:
        by_corpus_name.setdefault(file.model.corpus, []).append(file)
    models = [model for of_corpus in by_corpus_name.values() for model in models_of(of_corpus)]
    for model in models:
        check_same_texts(model.files)
    return models


def _paths(location: Path) -> list[Path]:
    if not location.is_dir():
        return [location]
    paths = [path for path in sorted(location.glob("*.parquet")) if not _is_something_else(path)]
    if not paths and not (location / CONFIG).is_file():
        raise AnalysisError(
            f"{location}: holds no attribution, perturbation or faithfulness file (*.parquet), and is no "
            "training run"
        )
    return paths


def _is_something_else(path: Path) -> bool:
    """Whether it is a parquet file of another kind. Unreadable files fail when they are loaded."""
    try:
        pyarrow.parquet.read_schema(path)
    except (pyarrow.ArrowInvalid, OSError):
        return False
    return not any(format.is_format_of(path) for format in FORMATS)


def by_corpus(models: Sequence[Model]) -> dict[str, list[Model]]:
    """The models of each corpus, in their order."""
    models_of_corpus: dict[str, list[Model]] = {}
    for model in models:
        models_of_corpus.setdefault(model.config.corpus, []).append(model)
    return models_of_corpus


def describe(models: Sequence[Model]) -> str:
    """Data, models and n, for captions: `sst (1725 texts): bilstm tanh softmax (3 seeds)`."""
    return "; ".join(
        f"{corpus} ({_texts(several)} texts): {', '.join(map(_with_seeds, several))}"
        for corpus, several in by_corpus(models).items()
    )


def _texts(models: Sequence[Model]) -> str:
    """The number of texts, or a range if the files of models differ in it."""
    numbers = sorted({len(model.files[0].texts) for model in models})
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _with_seeds(model: Model) -> str:
    seeds, recovered = len(model.files), sum(file.recovered for file in model.files)
    said = [f"{seeds} seeds"] if seeds > 1 else []
    said += [f"{recovered} recovered"] if recovered else []
    return f"{model.name} ({', '.join(said)})" if said else model.name
