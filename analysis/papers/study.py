"""The models of a study, and numbers a text made into rows by predicted class."""

from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy

from analysis.agreement.agreements import Agreement, agreements
from analysis.agreement.pairs import Pair
from analysis.agreement.same_texts import check_same_texts
from analysis.attributions import Attributions, load_attributions
from analysis.errors import AnalysisError
from analysis.measures import Measure, Values
from analysis.papers.methods import Method
from analysis.seeds import Model, models_of
from analysis.statistics.sample import Sample
from analysis.statistics.summary import summaries

Methods = Tuple[Method, Method]
OVERALL = "overall"


def load_models(places: Sequence[Path]) -> List[Model]:
    """
    From attribution files and folders that hold some. Names are unique among the models of a
    corpus, whose name stands beside theirs.
    """
    corpora: Dict[str, List[Attributions]] = {}
    for path in (path for place in places for path in _files(Path(place))):
        file = load_attributions(path)
        corpora.setdefault(file.model.corpus, []).append(file)
    models = [model for files in corpora.values() for model in models_of(files)]
    for model in models:
        check_same_texts(model.files)
    return models


def _files(place: Path) -> List[Path]:
    if not place.is_dir():
        return [place]
    found = sorted(place.glob("*.parquet"))
    if not found:
        raise AnalysisError(f"{place}: holds no attribution file (*.parquet)")
    return found


def corpora(models: Sequence[Model]) -> Dict[str, List[Model]]:
    """The models of each corpus, in the order in which they come."""
    found: Dict[str, List[Model]] = {}
    for model in models:
        found.setdefault(model.config.corpus, []).append(model)
    return found


def agreement(model: Model, pairs: Sequence[Methods], measure: str, draws: int) -> List[Agreement]:
    """Of each pair, with so many draws of the controls."""
    names = [Pair(first.name, second.name) for first, second in pairs]
    return agreements(model, names, [Measure.named(measure)], draws)


def sample(model: Model, values: Callable[[Attributions], Values]) -> Sample:
    """What a function gives for each file."""
    return Sample.of([values(file) for file in model.files])


def groups(model: Model) -> Dict[str, numpy.ndarray]:
    """Texts by predicted class, and all of them. Shape of each: (seeds, texts)"""
    predicted = numpy.array([file.table["predicted"].to_numpy(str) for file in model.files])
    classes = {name: predicted == name for name in sorted(set(predicted.flat))}
    return {**classes, OVERALL: numpy.ones(predicted.shape, dtype=bool)}


def by_class(model: Model, found: Sample) -> Dict[str, Dict[str, Any]]:
    """The summary of each group."""
    members = groups(model)
    rows = summaries([found.where(member) for member in members.values()])
    return dict(zip(members, rows, strict=True))


def described(model: Model) -> str:
    """`bilstm tanh softmax, 1725 texts, 3 seeds`"""
    seeds = len(model.files)
    texts = f"{model.name}, {len(model.files[0].table)} texts"
    return f"{texts}, {seeds} seeds" if seeds > 1 else texts
