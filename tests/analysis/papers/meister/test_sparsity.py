"""The sweep over lambda: which models are in it, and which sign is found."""

import numpy
import pytest
from scipy.stats import pearsonr

from analysis.errors import AnalysisError
from analysis.output import Output
from analysis.papers.meister.sparsity import (
    correlation,
    entropy_against_lambda,
    lambda_of,
    not_swept,
    sweeps,
    table_2,
    tau_against_lambda,
)
from analysis.papers.shared.paper import GRADIENT, LEAVE_ONE_OUT
from analysis.papers.shared.study_files import load_models
from tests.analysis.attribution_files import config, write_attributions
from tests.analysis.papers.studies import MEISTER, write_run


def write_step(path, value, peak, seed=1):
    """A model whose gradient has `peak` at one token and 1 at the three others."""
    rows = [
        {
            "id": f"text-{index}",
            "tokens": list("abcd"),
            "label": "0",
            "predicted": "0",
            "probs": [0.5, 0.5],
            "gradient": [1.0, 1.0, peak + index % 3, 1.0],
            "leave-one-out": [1.0, 1.0, 1.0, 1.0],
        }
        for index in range(12)
    ]
    projection = {"type": "sparsegen", "lambda_": value}
    described = config(seed=seed, projection=projection, corpus="sst")
    return write_attributions(path, rows, ["gradient", "leave-one-out"], described)


def sweep(tmp_path, peaks):
    paths = [
        write_step(tmp_path / f"{value}_{seed}.parquet", value, peak + seed, seed)
        for value, peak in peaks.items()
        for seed in (1, 2)
    ]
    (found,) = sweeps(load_models(paths))
    return found


def entropy_of(scores):
    p = numpy.array(scores) / numpy.sum(scores)
    return float(-(p * numpy.log(p)).sum() / numpy.log(len(p)))


def test_sparsemax_is_sparsegen_with_lambda_0_and_softmax_is_no_member(tmp_path):
    def model(projection, name):
        (found,) = load_models([write_run(tmp_path / f"{name}.parquet", projection=projection)])
        return found

    assert lambda_of(model("sparsemax", "a")) == 0.0
    assert lambda_of(model({"type": "sparsegen", "lambda_": -2.0}, "b")) == -2.0
    assert lambda_of(model("softmax", "c")) is None


def test_a_sweep_rises_and_has_each_lambda_once(tmp_path):
    def sparsegen(value):
        projection = {"type": "sparsegen", "lambda_": value}
        return write_run(tmp_path / f"{value}.parquet", projection=projection)

    paths = [sparsegen(0.5), sparsegen(-1.0), sparsegen(0.0)]
    paths.append(write_run(tmp_path / "sparsemax.parquet", projection="sparsemax"))
    models = load_models(paths)
    (steps,) = sweeps(models)
    assert [model.config.sparsity for model in steps] == [-1.0, 0.0, 0.5]
    assert [model.name for model in not_swept(models)] == ["bilstm tanh sparsemax"]
    assert not_swept(steps) == steps


@pytest.mark.parametrize("peaks, word", [((2, 6, 20), "falls"), ((20, 6, 2), "rises")])
def test_the_sign_found_is_the_sign_reported(tmp_path, peaks, word):
    steps = sweep(tmp_path, dict(zip((-1.0, 0.0, 0.5), peaks, strict=True)))
    row = correlation(steps, GRADIENT)
    positions = numpy.repeat([-1.0, 0.0, 0.5], 2)
    means = [
        numpy.mean([entropy_of([1, 1, peak + seed + index % 3, 1]) for index in range(12)])
        for peak in peaks
        for seed in (1, 2)
    ]
    assert row["mean"] == pytest.approx(pearsonr(positions, means).statistic, abs=1e-6)
    assert (row["entropy"], row["n"], row["lambdas"]) == (word, 6, 3)
    assert row["low"] < row["mean"] < row["high"]
    assert (row["mean"] < 0) == (word == "falls")


def test_an_entropy_that_never_changes_has_no_correlation(tmp_path):
    row = correlation(sweep(tmp_path, {-1.0: 2, 0.5: 6}), LEAVE_ONE_OUT)
    assert numpy.isnan(row["mean"]) and row["entropy"] == "is constant"


def test_only_the_gradient_has_a_published_sign(tmp_path):
    output = Output(tmp_path / "out", "Meister et al. 2021")
    table_2(sweep(tmp_path, {-1.0: 2, 0.0: 6, 0.5: 20}), output)
    text = output.contents["meister-table-2.md"].decode()
    gradient, erased = (
        next(line for line in text.splitlines() if f"| {name} |" in line)
        for name in ("gradient", "leave-one-out")
    )
    assert "| -0.866 |" in gradient and "falls" in gradient
    assert "| - | - | - |" in erased


def test_too_few_values_of_lambda_are_no_sweep(tmp_path):
    models = sweep(tmp_path, {-1.0: 2, 0.0: 6})
    output = Output(tmp_path / "out", "Meister et al. 2021")
    with pytest.raises(AnalysisError, match="it takes 3 values of lambda"):
        table_2(models, output)
    assert not output.entries


def test_lines_against_lambda_are_drawn(tmp_path):
    models = load_models(
        [
            write_run(
                tmp_path / f"{value}.parquet",
                MEISTER,
                projection={"type": "sparsegen", "lambda_": value},
                texts=20,
            )
            for value in (-1.0, 0.5)
        ]
    )
    output = Output(tmp_path / "out", "Meister et al. 2021")
    entropy_against_lambda(models, output)
    tau_against_lambda(models, output)
    assert [entry["name"] for entry in output.entries] == [
        "meister-entropy-against-lambda",
        "meister-tau-against-lambda",
    ]
