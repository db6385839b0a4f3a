"""Run folders of `allennlp train`: what was trained, and what it reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.errors import AnalysisError
from analysis.model_config import ModelConfig
from attention_explain.files.records import DamagedFileError, check_files, read_json

CONFIG, METRICS = "config.json", "metrics.json"
RECOVERED = "recovered"
# The models that the papers' tables are about: of single texts, and of pairs.
ATTENTION_CLASSIFIERS = ("attention_classifier", "attention_pair_classifier")
# Those whose metrics are known.
CLASSIFIERS = (*ATTENTION_CLASSIFIERS, "transformer_classifier")


@dataclass(frozen=True)
class Run:
    """A finished training run."""

    folder: Path
    config: dict[str, Any]
    metrics: dict[str, Any]

    @property
    def name(self) -> str:
        """That of its folder."""
        return self.folder.name

    @property
    def path(self) -> Path:
        """The file with what it reached."""
        return self.folder / METRICS

    @property
    def recovered(self) -> bool:
        """Whether the training was interrupted and not recovered exactly; it leaves a mark of that."""
        return (self.folder / RECOVERED).is_file()

    @property
    def model(self) -> ModelConfig:
        """What its config says of the model."""
        return ModelConfig(self.config)

    @property
    def tested(self) -> bool:
        """Whether it was evaluated on the test split."""
        return any(name.startswith("test_") for name in self.metrics)

    def metric(self, name: str) -> float:
        """On the test split where it was evaluated, else on dev at the best epoch."""
        for prefix in ("test_", "best_validation_"):
            if prefix + name in self.metrics:
                return self.metrics[prefix + name]
        return float("nan")


class UnfinishedRun(AnalysisError):
    """A folder of a training that failed, was interrupted, or goes on."""


def load_run(folder: Path, kinds: Sequence[str] = ATTENTION_CLASSIFIERS) -> Run:
    """
    Reads a run folder, of a model of these types. A run is complete when both its metrics and its
    archive exist: a training that was interrupted leaves an archive too, but no metrics.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise AnalysisError(f"{folder}: no such run folder")
    missing = [name for name in (CONFIG, METRICS, "model.tar.gz") if not (folder / name).is_file()]
    if missing:
        raise UnfinishedRun(
            f"{folder}: not a finished training run, {' and '.join(missing)} missing"
        )
    try:
        check_files(folder, (CONFIG, METRICS))
    except DamagedFileError as error:
        raise AnalysisError(str(error)) from error
    config = _json(folder / CONFIG)
    model = config.get("model")
    kind = model.get("type", kinds[0]) if isinstance(model, dict) else model
    if kind not in kinds:
        raise AnalysisError(
            f"{folder}: its model is a {kind}, but this table is about models of type "
            f"{' or '.join(kinds)}"
        )
    return Run(folder, config, _json(folder / METRICS))


def load_runs(folders: list[Path]) -> tuple[list[Run], list[UnfinishedRun]]:
    """Each of any type that is known, in the order given; and of which there is nothing to read yet."""
    runs: list[Run] = []
    unfinished: list[UnfinishedRun] = []
    for folder in folders:
        try:
            runs.append(load_run(folder, CLASSIFIERS))
        except UnfinishedRun as error:
            unfinished.append(error)
    if not runs:
        raise unfinished[0]
    return runs, unfinished


def _json(path: Path) -> dict[str, Any]:
    try:
        content = read_json(path.read_bytes())
    except ValueError as error:
        raise AnalysisError(f"{path}: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise AnalysisError(f"{path}: not a JSON object")
    return content
