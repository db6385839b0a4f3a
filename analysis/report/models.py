"""The models of the report: what they are, and how well they do on the texts explained."""

from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy
import pandas

from analysis.attributions import Attributions
from analysis.model_config import ModelConfig
from analysis.models import Model
from analysis.performance import f1

CAPTION = (
    "Accuracy and F1 are those on the texts of the attribution files; several seeds of a model are "
    "averaged, and the deviation between them stands beside. F1 is that of the positive class "
    "where there are two classes, else the unweighted mean over classes."
)


def models_table(models: Sequence[Model]) -> pandas.DataFrame:
    """One row a model; columns that say nothing are left out."""
    return pandas.DataFrame(map(_row, models)).dropna(axis="columns", how="all")


def _row(model: Model) -> Dict[str, Any]:
    labelled = [file for file in model.files if file.table["label"].notna().any()]
    accuracies, f1s = ([measure(file) for file in labelled] for measure in (accuracy, f1))
    config = model.config
    return {
        "model": model.name,
        "corpus": config.corpus,
        "encoder": config.encoder,
        "attention": config.attention,
        "projection": config.projection,
        "seeds": ", ".join(map(_seed, model.files)),
        "texts": len(model.files[0].table),
        "accuracy": _mean(accuracies),
        "sd accuracy": _deviation(accuracies),
        "F1": _mean(f1s),
        "sd F1": _deviation(f1s),
        "epoch selected": selection(config.config),
    }


def dropped_or_cut(models: Sequence[Model]) -> List[str]:
    """A sentence for each data set of which texts were dropped or cut when it was explained."""
    said = {
        f"Of {file.metadata['data']}: {file.dropped_or_cut}."
        for model in models
        for file in model.files
        if file.dropped_or_cut
    }
    return sorted(said)


def _seed(file: Attributions) -> str:
    """A training that was interrupted and went on is not the same as an unbroken one."""
    return f"{file.model.seed} (recovered)" if file.recovered else str(file.model.seed)


def accuracy(file: Attributions) -> float:
    """The share of labelled texts whose label was predicted."""
    known = file.table[file.table["label"].notna()]
    return float((known["label"] == known["predicted"]).mean())


def selection(config: Dict[str, Any]) -> Optional[str]:
    """On which data, and by which metric, the best epoch was found; None if the config is silent."""
    metric = config.get("trainer", {}).get("validation_metric")
    data = config.get("validation_data_path")
    if metric is None or data is None:
        return None
    if ModelConfig(config).keeps_last_epoch:
        return "the last epoch"
    name = "the test data" if data == config.get("test_data_path") else Path(str(data)).name
    names = metric if isinstance(metric, list) else [metric]
    return f"on {name}, by {', '.join(each.lstrip('+-') for each in names)}"


def _mean(values: List[float]) -> float:
    return float(numpy.mean(values)) if values else numpy.nan


def _deviation(values: List[float]) -> float:
    return float(numpy.std(values, ddof=1)) if len(values) > 1 else numpy.nan
