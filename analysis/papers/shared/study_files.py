"""
What a study has: models, from attribution files; the same models under other attention, from
perturbation files; how true their scores are, from faithfulness files; and training runs. Given one by one, or in folders.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow
import pyarrow.parquet

from analysis.attributions import load_attributions
from analysis.errors import AnalysisError
from analysis.faithfulness.files import load_faithfulness
from analysis.models import Model, check_same_texts, models_of
from analysis.output import Source
from analysis.perturbations import load_perturbations
from analysis.runs import CONFIG, Run, load_run
from analysis.text_files import TextFile
from attention_explain.files import attributions, faithfulness, perturbations

FORMATS = (attributions.FORMAT, perturbations.FORMAT, faithfulness.FORMAT)


@dataclass(frozen=True)
class StudyFiles:
    """
    models : of attribution files.
    perturbed : of perturbation files.
    judged : of faithfulness files.
    runs : training runs, whether or not any of these files is theirs.
    """

    models: list[Model] = field(default_factory=list)
    perturbed: list[Model] = field(default_factory=list)
    judged: list[Model] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        """All that was read."""
        files = [
            file for model in (*self.models, *self.perturbed, *self.judged) for file in model.files
        ]
        return [*files, *self.runs]


def load_study(places: Sequence[Path]) -> StudyFiles:
    """From files of the commands, folders that hold some, and run folders, in any order."""
    paths, runs = [], {}
    for place in map(Path, places):
        paths += _paths(place)
        if (place / CONFIG).is_file():
            runs[place.resolve()] = load_run(place)
    perturbed = [path for path in paths if perturbations.FORMAT.is_format_of(path)]
    judged = [path for path in paths if faithfulness.FORMAT.is_format_of(path)]
    attributed = [path for path in paths if path not in (*perturbed, *judged)]
    return StudyFiles(
        models=_models(map(load_attributions, attributed)),
        perturbed=_models(map(load_perturbations, perturbed)),
        judged=_models(map(load_faithfulness, judged)),
        runs=list(runs.values()),
    )


def load_models(places: Sequence[Path]) -> list[Model]:
    """The models of attribution files alone."""
    return load_study(places).models


def _models(files: Iterable[TextFile]) -> list[Model]:
    """Names are unique among the models of a corpus, whose name stands compared with theirs."""
    by_corpus_name: dict[str, list[TextFile]] = {}
    for file in files:
        by_corpus_name.setdefault(file.model.corpus, []).append(file)
    models = [model for of_corpus in by_corpus_name.values() for model in models_of(of_corpus)]
    for model in models:
        check_same_texts(model.files)
    return models


def _paths(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    paths = [path for path in sorted(place.glob("*.parquet")) if not _is_something_else(path)]
    if not paths and not (place / CONFIG).is_file():
        raise AnalysisError(
            f"{place}: holds no attribution, perturbation or faithfulness file (*.parquet), and is no "
            "training run"
        )
    return paths


def _is_something_else(path: Path) -> bool:
    """A folder may hold other tables too; what cannot be read is left to whoever loads it."""
    try:
        pyarrow.parquet.read_schema(path)
    except (pyarrow.ArrowInvalid, OSError):
        return False
    return not any(format.is_format_of(path) for format in FORMATS)


def by_corpus(models: Sequence[Model]) -> dict[str, list[Model]]:
    """The models of each corpus, in the order in which they come."""
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
    """A range where the files of some models hold more than those of others."""
    numbers = sorted({len(model.files[0].texts) for model in models})
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _with_seeds(model: Model) -> str:
    seeds, recovered = len(model.files), sum(file.recovered for file in model.files)
    said = [f"{seeds} seeds"] if seeds > 1 else []
    said += [f"{recovered} recovered"] if recovered else []
    return f"{model.name} ({', '.join(said)})" if said else model.name
