"""Rows of ours find the published row that they are about, and no other."""

import numpy
import pandas
import pytest

from analysis.papers.shared.published import readable, selected_on, with_difference, with_published

OURS = pandas.DataFrame(
    {
        "corpus": ["sst", "sst", "mine"],
        "predicted": ["0", "overall", "0"],
        "mean": [0.5, 0.4, 0.3],
        "low": [0.4, numpy.nan, 0.2],
        "high": [0.6, numpy.nan, 0.4],
        "std": [0.1, 0.1, 0.1],
    }
)
THEIRS = pandas.DataFrame(
    {"corpus": ["imdb", "sst"], "predicted": ["0", "0"], "mean": [0.9, 0.7], "std": [0.2, 0.3]}
)


def test_a_row_without_a_published_one_has_no_published_value():
    table = with_published(OURS, THEIRS)
    assert table["published"].fillna(-9).tolist() == [0.7, -9, -9]
    assert table["published std"].fillna(-9).tolist() == [0.3, -9, -9]
    assert table[OURS.columns.tolist()].equals(OURS)


def test_a_column_that_the_paper_does_not_tell_apart_does_not_matter():
    table = with_published(OURS, THEIRS[THEIRS["corpus"] == "sst"].drop(columns="predicted"))
    assert table["published"].fillna(-9).tolist() == [0.7, 0.7, -9]


def test_the_difference_is_from_the_first_column_that_has_a_value():
    table = OURS.assign(dev=[numpy.nan, 0.1, numpy.nan], test=[0.2, 0.3, numpy.nan])
    found = with_difference(table, "dev", "test")["difference"]
    assert found.tolist()[:2] == pytest.approx([0.3, 0.3]) and numpy.isnan(found[2])


def test_the_mean_is_called_ours_only_next_to_published_values():
    shown = readable(OURS, ["corpus", "mean", "interval"])
    assert shown.columns.tolist() == ["corpus", "mean", "interval"]
    assert shown["interval"].map(str).tolist() == ["[0.400, 0.600]", "-", "[0.200, 0.400]"]
    compared = readable(with_published(OURS, THEIRS), ["corpus", "published", "mean"])
    assert compared.columns.tolist() == ["corpus", "published", "ours"]


def test_values_published_for_plain_models_are_not_joined_with_others():
    ours = OURS.assign(role=["adversary", "plain", "plain"])
    assert with_published(ours, THEIRS)["published"].isna().all()
    ours["role"] = "plain"
    assert with_published(ours, THEIRS)["published"].notna().tolist() == [True, False, False]


@pytest.mark.parametrize(
    "config, split",
    [
        ({"validation_data_path": "a/dev", "test_data_path": "a/test"}, "dev"),
        ({"validation_data_path": "a/dev"}, "dev"),
        ({"validation_data_path": "a/test", "test_data_path": "a/test"}, "test"),
        ({"test_data_path": "a/test"}, "-"),
        (
            {"validation_data_path": "a/dev", "trainer": {"validation_metric": "+epochs_trained"}},
            "last epoch",
        ),
    ],
)
def test_the_split_that_selected_is_the_one_validated_on(config, split):
    assert selected_on(config) == split
