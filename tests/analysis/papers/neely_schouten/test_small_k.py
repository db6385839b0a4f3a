"""Agreement on the first few tokens, and its densities."""

import pytest

from analysis.papers.neely_schouten.correlations import SIZES, small_k, top_k_densities
from analysis.papers.shared.study_files import load_models
from tests.analysis.papers.studies import write_run
from tests.analysis.papers.written import entries, tables

METHODS = ("attention", "gradient-x-input", "leave-one-out")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "soft.parquet", METHODS)
    write_run(folder / "sparse.parquet", METHODS, projection="sparsemax")
    return load_models([folder])


def test_every_k_has_all_pairs_with_scaled_values_and_tau(models, tmp_path):
    written = tables(small_k, models, tmp_path)
    table = written["neely-schouten-small-k"]
    fagin = table[table["measure"] == "fagin"]
    assert set(fagin["k"].astype(str)) == set(SIZES) and fagin["scaled"].notna().all()
    assert len(fagin) == 2 * 3 * len(SIZES)
    # One token in each list is 1 by the published score, whatever the tokens.
    assert "1" not in set(table[table["measure"] == "as-published"]["k"].astype(str))
    assert set(table[table["measure"] == "kendall"]["k"]) == {"all"}
    compared = written["neely-schouten-small-k-differences"]
    assert {"fagin:k=3", "fagin:k=0.1"} <= set(compared["measure"])


def test_densities_are_drawn_by_both_measures(models, tmp_path, undrawn):
    drawn = entries(top_k_densities, models, tmp_path)
    assert list(drawn) == ["neely-schouten-top-k-densities-sst-bilstm-tanh"]
