"""The papers' tables speak the words of this project."""

import pytest

from analysis.papers.shared.published import PAPERS, read_published

NAMES = sorted(f"{path.parts[-3]}/{path.stem}" for path in PAPERS.glob("*/published/*.csv"))


# Numbers that say what a row is about.
KEYS = ["seed", "lambda"]


def numbers_of(table):
    return table.select_dtypes("number").columns.difference(KEYS)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_a_mean_or_several_values(name):
    table = read_published(name)
    values = table[["mean"] if "mean" in table else numbers_of(table)]
    assert len(table) and values.shape[1] and values.notna().all(axis=None)
    if name.endswith("_corpora"):
        # Texts and words are counted.
        assert (values > 0).all(axis=None)
    else:
        assert values.stack().between(-1, 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_no_row_is_there_twice(name):
    table = read_published(name)
    assert not table.drop(columns=numbers_of(table)).duplicated().any()


def test_words_and_classes_are_those_of_configs_and_attribution_files():
    table = read_published("neely_schouten/table2_top_k")
    assert set(table["attention"]) == {"tanh", "dot"}
    assert set(table["k"]) == {"average-length", "all", "non-zero"}
    assert set(table["importance"]) == {"gradient", "leave-one-out"}
    assert set(table["predicted"]) == {"0", "1"}


def test_a_known_value_is_found():
    table = read_published("jain_wallace/correlations")
    row = table[
        (table["corpus"] == "sst")
        & (table["encoder"] == "bilstm")
        & (table["attention"] == "tanh")
        & (table["importance"] == "gradient")
        & (table["predicted"] == "0")
        & (table["protocol"] == "selected_on_test")
    ]
    assert row[["mean", "std", "significant"]].values.tolist() == [[0.40, 0.21, 0.59]]
