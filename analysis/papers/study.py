"""The models of a study, from attribution files and folders that hold some."""

from pathlib import Path
from typing import Dict, List, Sequence

import pyarrow
import pyarrow.parquet

from analysis.agreement.same_texts import check_same_texts
from analysis.attributions import METADATA, Attributions, load_attributions
from analysis.errors import AnalysisError
from analysis.seeds import Model, models_of


def load_models(places: Sequence[Path]) -> List[Model]:
    """Names are unique among the models of a corpus, whose name stands beside theirs."""
    files: Dict[str, List[Attributions]] = {}
    for path in (path for place in places for path in _paths(Path(place))):
        file = load_attributions(path)
        files.setdefault(file.model.corpus, []).append(file)
    models = [model for of_corpus in files.values() for model in models_of(of_corpus)]
    for model in models:
        check_same_texts(model.files)
    return models


def _paths(place: Path) -> List[Path]:
    if not place.is_dir():
        return [place]
    found = [path for path in sorted(place.glob("*.parquet")) if not _is_something_else(path)]
    if not found:
        raise AnalysisError(f"{place}: holds no attribution file (*.parquet)")
    return found


def _is_something_else(path: Path) -> bool:
    """A folder may hold other tables too; what cannot be read is left to whoever loads it."""
    try:
        return METADATA not in (pyarrow.parquet.read_schema(path).metadata or {})
    except (pyarrow.ArrowInvalid, OSError):
        return False


def by_corpus(models: Sequence[Model]) -> Dict[str, List[Model]]:
    """In the order in which they come."""
    found: Dict[str, List[Model]] = {}
    for model in models:
        found.setdefault(model.config.corpus, []).append(model)
    return found


def described(models: Sequence[Model]) -> str:
    """Data, models and n, for captions: `sst (1725 texts): bilstm tanh softmax (3 seeds)`."""
    return "; ".join(
        f"{corpus} ({_texts(several)} texts): {', '.join(map(_with_seeds, several))}"
        for corpus, several in by_corpus(models).items()
    )


def _texts(models: Sequence[Model]) -> str:
    """A range where the files of some models hold more than those of others."""
    numbers = sorted({len(model.files[0].table) for model in models})
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _with_seeds(model: Model) -> str:
    seeds = len(model.files)
    return f"{model.name} ({seeds} seeds)" if seeds > 1 else model.name
