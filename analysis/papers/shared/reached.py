"""The F1 of every model of a study, with an interval over texts and seeds, or over seeds alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy

from analysis.model_config import ModelConfig, guides_of, without_base
from analysis.papers.shared.study_files import StudyFiles
from analysis.performance import Decisions, nothing_to_judge
from analysis.runs import Run
from analysis.statistics.intervals import (
    LEAST_SEEDS,
    Intervals,
    intervals,
    intervals_of_sums,
    student_interval,
)
from analysis.text_files import TextFile, run_folder
from analysis.written import Estimate
from attention_explain.files.attributions import FORMAT


@dataclass(frozen=True)
class Reached:
    """
    The F1 of one model.

    f1 : over all seeds.
    values : values of texts whose mean is F1; None if only the metrics of runs are known.
    data : the hash of the data.
    n : the number of texts, if known.
    std : the standard deviation over seeds, if texts are not known.
    nothing : why there is nothing to judge, if so.
    by_seed : the F1 of each seed.
    """

    config: ModelConfig
    f1: float
    seeds: int
    values: numpy.ndarray | None = None
    data: str | None = None
    n: int | None = None
    std: float = numpy.nan
    nothing: str = ""
    by_seed: Mapping[int | None, float] = field(default_factory=dict)

    @property
    def estimate(self) -> Estimate:
        """F1 with an interval over texts and seeds, or over seeds alone where no texts are known."""
        if self.values is None:
            return Estimate(self.f1, *student_interval(self.f1, self.std, self.seeds))
        return Estimate(self.f1, *_ends(intervals(self.values[None])))

    def less(self, other: "Reached") -> Estimate:
        """The difference of the two, with an interval if both are about the same texts."""
        ours, theirs = self.values, other.values
        same_texts = (self.data, self.n) == (other.data, other.n)
        if ours is None or theirs is None or not same_texts:
            return Estimate(self.f1 - other.f1, numpy.nan, numpy.nan)
        ends = _ends(intervals_of_sums([ours[None], -theirs[None]]))
        return Estimate(self.f1 - other.f1, *ends)

    def less_by_seed(self, other: "Reached") -> Estimate:
        """The difference of the two over pairs of one seed, with Student's interval if there are at least three."""
        shared = self.by_seed.keys() & other.by_seed.keys()
        less = numpy.array([self.by_seed[seed] - other.by_seed[seed] for seed in shared])
        if len(less) < LEAST_SEEDS:
            return Estimate(numpy.nan, numpy.nan, numpy.nan)
        mean = float(less.mean())
        ends = student_interval(mean, float(less.std(ddof=1)), len(less))
        return Estimate(mean, *ends, True, df=len(less) - 1, seeds=len(less))


def f1_by_model(study: StudyFiles) -> list[Reached]:
    """The F1 of each model of a study; runs with an attribution file count by their file."""
    explained = {
        run_folder(file.metadata["archive"]) for model in study.models for file in model.files
    }
    of_files = [f1_of_files(model.files) for model in study.models]
    runs: dict[str, list[Run]] = {}
    for run in study.runs:
        if run_folder(run.folder) not in explained:
            runs.setdefault(_alike(run.model), []).append(run)
    return of_files + [_of_runs(seeds) for seeds in runs.values()]


def guide_of(config: ModelConfig) -> ModelConfig | None:
    """The config of the model whose attention guides this one; None if its attribution file no longer exists."""
    metadata = FORMAT.find_metadata(Path(guides_of(config.config)[0]).expanduser())
    return None if metadata is None else ModelConfig(metadata["config"])


def _alike(config: ModelConfig) -> str:
    """A key that is the same for all seeds of a model, whatever the seed of its base or guide."""
    rest = ModelConfig(without_base(config.config))
    guide = guide_of(config) if guides_of(config.config) else None
    if guide is None:
        return rest.without_seeds
    reader = {**config.config["dataset_reader"], "guide": _alike(guide)}
    return ModelConfig({**rest.config, "dataset_reader": reader}).without_seeds


def f1_metric(run: Run) -> float:
    """The F1 in the metrics of a run: of the positive class, else the mean over classes."""
    value = run.metric("f1")
    return run.metric("macro_f1") if numpy.isnan(value) else value


def f1_of_files(files: Sequence[TextFile]) -> Reached:
    """The F1 of the seeds of one model, from their files."""
    decisions = Decisions.of(files)
    return Reached(
        config=files[0].model,
        f1=decisions.f1,
        seeds=len(files),
        values=decisions.values,
        data=files[0].metadata.get("data_sha256"),
        n=len(files[0].table),
        nothing=nothing_to_judge(files),
        by_seed={file.model.seed: Decisions.of([file]).f1 for file in files},
    )


def _of_runs(runs: list[Run]) -> Reached:
    f1 = numpy.array([f1_metric(run) for run in runs])
    std = float(f1.std(ddof=1)) if len(runs) > 1 else numpy.nan
    by_seed = dict(zip([run.model.seed for run in runs], f1.tolist(), strict=True))
    return Reached(runs[0].model, float(f1.mean()), len(runs), std=std, by_seed=by_seed)


def _ends(of_one: Intervals) -> tuple[float, float]:
    return float(of_one.low[0]), float(of_one.high[0])
