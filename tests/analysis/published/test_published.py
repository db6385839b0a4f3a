"""The papers' tables speak the words of this project."""

import pytest

from analysis.published import FOLDER, published

NAMES = sorted(path.stem for path in FOLDER.glob("*.csv"))


@pytest.mark.parametrize("name", NAMES)
def test_every_table_has_a_mean_a_number_in_each_row(name):
    table = published(name)
    assert len(table) and table["mean"].notna().all()
    assert table["mean"].between(-1, 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_no_row_is_there_twice(name):
    table = published(name)
    numbers = table.select_dtypes("number").columns.difference(["seed"])
    assert not table.drop(columns=numbers).duplicated().any()


def test_words_and_classes_are_those_of_configs_and_attribution_files():
    table = published("neely_schouten_2020_table2_top_k")
    assert set(table["attention"]) == {"tanh", "dot"}
    assert set(table["k"]) == {"average-length", "all", "non-zero"}
    assert set(table["importance"]) == {"gradient", "leave-one-out"}
    assert set(table["predicted"]) == {"0", "1"}


def test_a_known_value_is_found():
    table = published("jain_wallace_2019_correlations")
    row = table[
        (table["corpus"] == "sst")
        & (table["encoder"] == "bilstm")
        & (table["attention"] == "tanh")
        & (table["importance"] == "gradient")
        & (table["predicted"] == "0")
        & (table["protocol"] == "selected_on_test")
    ]
    assert row[["mean", "std", "significant"]].values.tolist() == [[0.40, 0.21, 0.59]]
