"""Use of attention against the freedom that adversaries find, one point per model."""

import numpy
import pandas
import pytest

from analysis.errors import AnalysisError
from analysis.papers.neely_schouten import usage_of_attention
from analysis.papers.neely_schouten.usage_of_attention import correlation, usage
from analysis.papers.shared.study_files import load_study
from analysis.text_files import load_perturbations
from tests.analysis.attribution_files import config
from tests.analysis.papers.families import text_rows, write_family, write_model, write_perturbed
from tests.analysis.papers.written import entries, tables


@pytest.fixture
def folder(tmp_path):
    return write_family(tmp_path / "sst")


def row_of(folder, out):
    (row,) = tables(usage, load_study([folder]), out)["neely-schouten-usage"].to_dict("records")
    return row


def test_each_quantity_is_the_mean_over_the_texts(folder, tmp_path):
    row = row_of(folder, tmp_path / "out")
    perturbed = load_perturbations(folder / "base.perturbed.parquet").table
    assert row["change"] == pytest.approx(perturbed["uniform.tvd"].mean())
    assert row["instance"] == pytest.approx(perturbed["instance-adversary.max_jsd"].mean())
    for name in ("drop", "change", "trained", "instance"):
        assert row[f"{name} low"] < row[name] < row[f"{name} high"]


def test_an_adversary_whose_outputs_are_too_far_away_does_not_count(folder, tmp_path, monkeypatch):
    near = row_of(folder, tmp_path / "near")["trained"]
    monkeypatch.setattr(usage_of_attention, "MOST_TVD", 1.0)
    assert row_of(folder, tmp_path / "far")["trained"] > near
    monkeypatch.setattr(usage_of_attention, "MOST_TVD", 0.0)
    assert numpy.isnan(row_of(folder, tmp_path / "none")["trained"])


def test_the_base_and_its_perturbation_file_are_enough(tmp_path):
    write_model(tmp_path / "runs" / "base.parquet", text_rows(), config(corpus="sst"))
    write_perturbed(tmp_path / "runs")
    row = row_of(tmp_path / "runs", tmp_path / "out")
    assert numpy.isnan([row["drop"], row["trained"]]).all()
    assert numpy.isfinite([row["change"], row["instance"]]).all()


def test_each_data_set_is_a_point(tmp_path, undrawn):
    folders = [write_family(tmp_path / corpus, corpus=corpus) for corpus in "abcd"]
    study = load_study(folders)
    table = tables(usage, study, tmp_path / "out")["neely-schouten-usage"]
    assert table["corpus"].tolist() == ["a", "b", "c", "d"]
    found = entries(usage, study, tmp_path / "out")
    # Four families with the same numbers have no correlation to speak of.
    assert not any(entry["kind"] == "sentence" for entry in found.values())
    assert "neely-schouten-usage-figure" in found


def test_a_correlation_takes_four_models_that_have_both():
    table = pandas.DataFrame({"drop": [0.0, 0.1, 0.2, 0.3], "trained": [0.6, 0.5, 0.3, 0.1]})
    sentence = correlation(table, "drop", "trained")
    assert sentence.startswith("Over 4 models") and "is -1.00" in sentence
    assert correlation(table[:3], "drop", "trained") == ""
    table.loc[0, "trained"] = numpy.nan
    assert correlation(table, "drop", "trained") == ""


def test_one_side_alone_is_not_enough(tmp_path):
    folder = write_family(tmp_path / "runs", lambdas=(), perturbed=False)
    with pytest.raises(AnalysisError, match="what uniform attention does"):
        usage(load_study([folder]), None)
