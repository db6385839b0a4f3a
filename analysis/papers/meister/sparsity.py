"""
Meister et al.'s sweep over the sparsity of attention. Sparsegen's lambda sets the sparsity; sparsemax is sparsegen with
lambda 0, and softmax does not belong to the family.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import pandas
from scipy.stats import pearsonr, spearmanr

from analysis.agreement.agreement_table import OVERALL
from analysis.claims.table_rows import TableRow, TypedTable, estimated, estimated_if_known, paired
from analysis.errors import AnalysisError
from analysis.figures.against import Line, against
from analysis.models import Model, protocol_of
from analysis.output import Output
from analysis.papers.shared.agreement import agreements_by_model, compute_agreements
from analysis.papers.shared.paper import (
    ATTENTION,
    GRADIENT,
    GRADIENT_HIDDEN,
    LEAVE_ONE_OUT,
    LEAVE_ONE_OUT_HIDDEN,
    Method,
)
from analysis.papers.shared.per_text import entropy, sample, summarise
from analysis.papers.shared.published import (
    about_config,
    read_published,
    readable,
    with_difference,
    with_intervals,
    with_published,
)
from analysis.papers.shared.study_files import describe
from analysis.statistics.intervals import ABOUT_INTERVALS, mean_of_known
from analysis.statistics.significance import difference_columns
from analysis.written import Estimate, interval_column

INPUTS = (GRADIENT, LEAVE_ONE_OUT)
HIDDEN = (GRADIENT_HIDDEN, LEAVE_ONE_OUT_HIDDEN)
IMPORTANCE_OF = {
    **{method.name: "input" for method in INPUTS},
    **{method.name: "hidden" for method in HIDDEN},
}
ABOUT = "models with sparsegen or sparsemax attention"
CHANGE = "entropy change"
# A correlation over fewer values of lambda is meaningless.
LEAST_LAMBDAS = 3
ENDS = ("tau at the smallest lambda", "tau at the largest lambda")


@dataclass(frozen=True, kw_only=True)
class SweepRow(TableRow):
    """
    Sparsity of attention and entropy of importance.

    importance : the method that scores the inputs.
    correlation : the correlation of lambda with the entropy of the scores.
    change : the change of entropy from the least sparse attention to the sparsest.
    """

    importance: str
    correlation: Estimate = estimated(correlation=True)
    change: Estimate | None = paired(CHANGE)


@dataclass(frozen=True, kw_only=True)
class TauRow(TableRow):
    """
    Sparsity of attention and its agreement with importance.

    importance : the method that scores the inputs.
    correlation : the correlation of lambda with tau of attention with these scores.
    of_scaled : the correlation of lambda with scaled tau.
    """

    importance: str
    correlation: Estimate = estimated(correlation=True)
    of_scaled: Estimate | None = estimated_if_known("of scaled", correlation=True)


SWEEP = TypedTable("meister-table-2", SweepRow)
FIGURE_3 = TypedTable("meister-figure-3", TauRow)
SHOWN = ["corpus", "encoder", "attention", "importance", "published", "mean", "interval"]
SHOWN += ["difference", "spearman", "entropy", CHANGE, f"{CHANGE}, interval", "lambdas", "n"]


def lambda_of(model: Model) -> float | None:
    """Sparsegen's lambda of the model; None if its projection does not belong to the family."""
    return {"sparsegen": model.config.sparsity, "sparsemax": 0.0}.get(model.config.projection)


def swept(model: Model) -> bool:
    """Whether the model is a step of a sweep."""
    return lambda_of(model) is not None


def step_of(model: Model) -> float:
    """The lambda of a step of a sweep."""
    value = lambda_of(model)
    if value is None:
        raise AnalysisError(f"{model.name}: has neither sparsegen nor sparsemax attention")
    return value


def not_swept(models: Sequence[Model]) -> list[Model]:
    """The models without the steps of a sweep, which are too many for one figure, if there are others."""
    return [model for model in models if model.config.projection != "sparsegen"] or list(models)


def sweeps(models: Sequence[Model], least: int = 2) -> list[list[Model]]:
    """Models that differ only in lambda, sorted by it; raises if none has `least` lambdas."""
    by_setting: dict[tuple, dict[float, Model]] = {}
    for model in models:
        config = model.config
        setting = (config.corpus, config.encoder, config.attention, protocol_of(config.config))
        steps = by_setting.setdefault(setting, {})
        # Of sparsemax and sparsegen with lambda 0, the latter was trained like its neighbours.
        value = step_of(model)
        if value not in steps or config.projection == "sparsegen":
            steps[value] = model
    long_enough = [steps for steps in by_setting.values() if len(steps) >= least]
    if not long_enough:
        raise AnalysisError(
            f"it takes {least} values of lambda with the same corpus, encoder, scorer and training"
        )
    return [[steps[position] for position in sorted(steps)] for steps in long_enough]


def table_2(models: Sequence[Model], output: Output) -> None:
    """Add the table of correlations of lambda with the entropy of importance, over trained models."""
    all_sweeps = sweeps(models, LEAST_LAMBDAS)
    rows = [correlation(steps, method) for steps in all_sweeps for method in INPUTS]
    theirs = read_published("meister/table2_sparsity_entropy").assign(importance=GRADIENT.title)
    table = with_difference(with_published(pandas.DataFrame(rows), theirs), "published")
    output.table(
        SWEEP.name,
        table,
        "Correlation of sparsegen's lambda, which is larger for sparser attention, with the "
        "entropy of the importance of inputs, compared with Meister et al. (2021), Table 2. "
        f"{describe(_flat(all_sweeps))}.",
        "Pearson's over trained models (n), each with the mean entropy of its texts, and Fisher's "
        "interval; Spearman's next to it. Entropy change: from the smallest lambda to the largest, on the same "
        "texts, which is how much sparser importance gets. A negative sign: the sparser attention, the sparser "
        "importance. The paper's table has negative signs, its text says the opposite; `entropy` "
        "says what is found here.",
        readable(table.assign(**{f"{CHANGE}, interval": interval_column(table, CHANGE)}), SHOWN),
    )


def correlation(steps: Sequence[Model], method: Method) -> dict[str, Any]:
    """The correlation of lambda with the mean entropy of the scores; each seed is a point."""
    values = [sample(model, entropy(method)).value for model in steps]
    lambdas, means = _points(steps, values)
    row = {
        **_swept(steps, method),
        "lambdas": len(steps),
        "n": len(means),
        **difference_columns(CHANGE, values[-1], values[0]),
    }
    pearson = _pearson(lambdas, means)
    if numpy.isnan(pearson[0]):
        unknown = dict.fromkeys(("mean", "low", "high", "spearman"), numpy.nan)
        return {**row, **unknown, "entropy": "is constant"}
    return {
        **row,
        **dict(zip(("mean", "low", "high"), pearson, strict=True)),
        "spearman": float(spearmanr(lambdas, means).statistic),
        "entropy": "falls" if pearson[0] < 0 else "rises",
    }


def figure_3(models: Sequence[Model], output: Output) -> None:
    """Add the table of correlations of lambda with the agreement of attention and importance, over trained models."""
    all_sweeps = sweeps(models, LEAST_LAMBDAS)
    table = pandas.DataFrame([row for steps in all_sweeps for row in _tau_rows(steps)])
    shown = table[["corpus", "encoder", "attention", "importance", "mean"]]
    shown = shown.assign(interval=interval_column(table))
    shown = with_intervals(shown, table, {"of scaled": "of scaled"})
    output.table(
        FIGURE_3.name,
        table,
        "Correlation of sparsegen's lambda, which is larger for sparser attention, with Kendall's tau of "
        "attention with the importance of inputs: Meister et al. (2021), Figure 3, in a number. "
        f"{describe(_flat(all_sweeps))}.",
        "Pearson's over trained models (n), each with the mean tau of its texts, and Fisher's interval. Of scaled tau: the same with tau between chance and the best that ties allow, which fall as attention gets "
        "sparser. A negative sign: the sparser attention, the less it agrees.",
        shown.join(table[[*ENDS, "n"]]),
    )


def _tau_rows(steps: Sequence[Model]) -> Iterator[dict[str, Any]]:
    of_models = [
        compute_agreements(model, [(ATTENTION, method) for method in INPUTS]) for model in steps
    ]
    for position, method in enumerate(INPUTS):
        agreements = [of_model[position] for of_model in of_models]
        values = [one.observed.value for one in agreements]
        lambdas, means = _points(steps, values)
        of_scaled = _pearson(*_points(steps, [one.scaled() for one in agreements]))
        ends = (float(numpy.nanmean(values[0])), float(numpy.nanmean(values[-1])))
        yield {
            **_swept(steps, method),
            **dict(zip(("mean", "low", "high"), _pearson(lambdas, means), strict=True)),
            **Estimate(*of_scaled).columns("of scaled"),
            **dict(zip(ENDS, ends, strict=True)),
            "lambdas": len(steps),
            "n": len(means),
        }


def _swept(steps: Sequence[Model], method: Method) -> dict[str, Any]:
    columns = about_config(steps[0].config, "corpus", "encoder", "attention", "protocol")
    return {**columns, "importance": method.title}


def _points(
    steps: Sequence[Model], values: Sequence[numpy.ndarray]
) -> tuple[list[float], list[float]]:
    """Lambda and the mean over texts, for each seed of each model. Shape of each value: (seeds, texts)"""
    lambdas: list[float] = []
    means: list[float] = []
    for model, of_model in zip(steps, values, strict=True):
        of_seeds = mean_of_known(of_model, axis=1)
        lambdas += [step_of(model)] * len(of_seeds)
        means += of_seeds.tolist()
    return lambdas, means


def _pearson(across: Sequence[float], up: Sequence[float]) -> tuple[float, float, float]:
    """Pearson's correlation with Fisher's interval; NaN if it is undefined."""
    if numpy.ptp(up) == 0 or not numpy.isfinite(up).all():
        return numpy.nan, numpy.nan, numpy.nan
    pearson = pearsonr(across, up)
    # Three points have no interval.
    interval = pearson.confidence_interval() if len(up) > 3 else (numpy.nan, numpy.nan)
    return float(pearson.statistic), float(interval[0]), float(interval[1])


def entropy_against_lambda(models: Sequence[Model], output: Output) -> None:
    """Add a figure with one panel per sweep and one line per kind of importance."""
    all_sweeps = sweeps(models)
    panels = {
        _titled(steps): {
            method.title: _line(steps, [summarise(model, entropy(method)) for model in steps])
            for method in INPUTS
        }
        for steps in all_sweeps
    }
    output.figure(
        "meister-entropy-against-lambda",
        against(panels, "lambda", "normalised entropy of importance"),
        f"Normalised entropy of the importance of inputs against sparsegen's lambda. "
        f"{describe(_flat(all_sweeps))}.",
        f"Lines at each point: interval of the mean. {ABOUT_INTERVALS}",
    )


def tau_against_lambda(models: Sequence[Model], output: Output) -> None:
    """Add a figure with two panels per sweep: importance of inputs and of hidden states."""
    all_sweeps = sweeps(models)
    panels: dict[str, dict[str, Line]] = {}
    for steps in all_sweeps:
        rows = [_taus(model) for model in steps]
        for methods, of in ((INPUTS, "inputs"), (HIDDEN, "hidden states")):
            panels[f"{_titled(steps)}: {of}"] = {
                method.title: _line(steps, [row[method.name] for row in rows]) for method in methods
            }
    output.figure(
        "meister-tau-against-lambda",
        against(panels, "lambda", "Kendall's tau", widest=2, chance=0.0),
        "Kendall's tau of attention with the importance of inputs and of hidden states against "
        f"sparsegen's lambda. {describe(_flat(all_sweeps))}.",
        f"Lines at each point: interval of the mean. {ABOUT_INTERVALS} Agreement with hidden states "
        "is nearly a tautology where attention is sparse.",
    )


def _flat(all_sweeps: Sequence[Sequence[Model]]) -> list[Model]:
    return [model for steps in all_sweeps for model in steps]


def _line(steps: Sequence[Model], rows: Sequence[dict[str, Any]]) -> Line:
    means, lows, highs = ([row[name] for row in rows] for name in ("mean", "low", "high"))
    return Line([step_of(model) for model in steps], means, lows, highs)


def _taus(model: Model) -> dict[str, dict[str, Any]]:
    """Agreement over all texts, by method."""
    _, table = agreements_by_model([model], [(ATTENTION, method) for method in (*INPUTS, *HIDDEN)])
    table = table[table["predicted"] == OVERALL]
    return {row["second"]: row for row in table.to_dict("records")}


def _titled(steps: Sequence[Model]) -> str:
    config = steps[0].config
    return f"{config.corpus}, {config.encoder} {config.attention}"
