"""Neely & Schouten's top k: two scores side by side, and chance next to both."""

import numpy
import pytest

from analysis.agreement.agreement_table import OVERALL
from analysis.output import Output
from analysis.papers.neely_schouten.top_k import (
    relative_to_chance,
    side_by_side,
    table_2,
    top_k_agreements,
    top_k_rows,
)
from analysis.papers.shared.study_files import load_models
from tests.analysis.papers.studies import write_run


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    return load_models(
        [
            write_run(folder / "soft.parquet", texts=150),
            write_run(folder / "sparse.parquet", projection="sparsemax", texts=150),
        ]
    )


@pytest.fixture(scope="module")
def table(models):
    return top_k_rows(list(map(top_k_agreements, models)))


@pytest.fixture(scope="module")
def unrelated(tmp_path_factory):
    """Attention that has nothing to do with importance."""
    path = tmp_path_factory.mktemp("runs") / "noise.parquet"
    write_run(path, projection="sparsemax", texts=300, noise=float("inf"))
    return top_k_rows(list(map(top_k_agreements, load_models([path]))))


def test_dense_attention_has_no_k_of_its_own_zeros(table):
    sizes = table.groupby("projection")["k"].unique().map(list).to_dict()
    assert sizes == {
        "softmax": ["average-length", "all"],
        "sparsemax": ["average-length", "all", "non-zero"],
    }


def test_only_the_published_score_has_published_values(table):
    rows = table[table["published"].notna()]
    assert set(rows["measure"]) == {"as-published"}
    keys = ["projection", "k", "importance", "predicted"]
    found = rows.set_index(keys)["published"]
    assert found[("sparsemax", "non-zero", "gradient", "0")] == 0.824
    assert found[("softmax", "average-length", "leave-one-out", "1")] == 0.301
    assert len(found) == 12


def test_scores_that_know_nothing_are_inside_the_band(unrelated):
    rows = unrelated[unrelated["predicted"] == OVERALL]
    assert set(relative_to_chance(rows)) == {"inside"}


def test_as_published_unrelated_scores_look_like_agreement_and_by_the_definition_they_do_not(
    unrelated,
):
    rows = unrelated[(unrelated["predicted"] == OVERALL) & (unrelated["k"] == "non-zero")]
    means = rows.groupby("measure")["mean"].mean()
    assert means["as-published"] > 0.7 and means["fagin"] < 0


def test_scores_that_know_are_above_the_band_by_the_definition(table):
    rows = table[(table["predicted"] == OVERALL) & (table["measure"] == "fagin")]
    assert set(relative_to_chance(rows)) == {"above"}


def test_the_band_covers_both_controls(table):
    for name in ("random", "permuted"):
        assert (table["chance low"] <= table[f"{name} low"]).all()
        assert (table["chance high"] >= table[f"{name} high"]).all()


def test_both_scores_stand_in_one_row(table):
    shown = side_by_side(table)
    assert len(shown) == len(table) / 2
    columns = shown.columns.tolist()
    assert columns[:6] == ["corpus", "model", "k", "importance", "predicted", "published"]
    fagin = table[table["measure"] == "fagin"]["mean"]
    assert sorted(shown["fagin"]) == pytest.approx(sorted(fagin))
    assert shown["n"].max() <= 150 and numpy.isfinite(shown["as-published"]).all()


def test_the_figure_comes_with_its_sentence(tmp_path, models):
    output = Output(tmp_path, "Neely & Schouten 2020")
    table_2(models, output)
    _, _, sentence, figure = output.entries
    assert (sentence["kind"], figure["kind"]) == ("sentence", "figure")
    assert sentence["caption"].removeprefix("sst: ") in figure["caption"]
    assert figure["name"] == "neely-schouten-chance-sst"
    assert "sst (150 texts): bilstm tanh softmax, bilstm tanh sparsemax" in figure["caption"]


def test_attention_that_agrees_with_nothing_has_a_table_and_no_picture(tmp_path):
    path = write_run(tmp_path / "a.parquet", texts=5)
    (model,) = load_models([path])
    model.files[0].table["attention"] = None
    output = Output(tmp_path / "out", "Neely & Schouten 2020")
    table_2([model], output)
    assert [entry["kind"] for entry in output.entries] == ["table", "sentence"]
    assert "is without an interval" in output.entries[1]["caption"]
