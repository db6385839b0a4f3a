"""Comparisons on the same texts, against plain loops."""

import numpy
import pytest

from analysis.statistics.significance import (
    difference_columns,
    paired_across_models,
    paired_in_one_model,
)


def test_in_one_model_a_text_counts_where_both_have_a_value():
    first, second = numpy.random.default_rng(3).normal(size=(2, 1, 2, 30))
    first[0, 0, :5] = second[0, 1, 3:8] = numpy.nan
    found = paired_in_one_model(first, second)
    differences = [
        first[0, seed, text] - second[0, seed, text]
        for seed in range(2)
        for text in range(30)
        if not numpy.isnan(first[0, seed, text] + second[0, seed, text])
    ]
    assert found["difference"][0] == pytest.approx(numpy.mean(differences))
    # Texts 3 and 4 have a difference under no seed.
    assert found["texts"][0] == 28
    assert found["low"][0] < found["difference"][0] < found["high"][0]


def test_across_models_seeds_need_not_be_as_many_and_texts_are_joined():
    generator = numpy.random.default_rng(4)
    hard = generator.normal(size=100)
    first = (hard + 0.1 + 0.05 * generator.normal(size=(1, 100)))[None]
    second = (hard + 0.05 * generator.normal(size=(3, 100)))[None]
    first[0, 0, :10] = numpy.nan
    second[0, :, 95:] = numpy.nan
    found = paired_across_models(first, second)
    expected = first[0, 0, 10:95].mean() - second[0, :, 10:95].mean()
    assert found["difference"][0] == pytest.approx(expected)
    assert found["texts"][0] == 85
    # What is hard for both is no doubt about the difference.
    assert found["high"][0] - found["low"][0] < 0.1
    assert found["low"][0] < expected < found["high"][0] and found["p"][0] < 1e-4


def test_across_models_seeds_that_differ_are_doubt_that_texts_alone_do_not_show():
    texts = numpy.random.default_rng(5).normal(0, 0.1, size=200)
    first = numpy.array([[texts - 0.5, texts, texts + 0.8]])
    second = numpy.array([[texts - 0.6, texts, texts + 0.6]])
    found = paired_across_models(first, second)
    assert found["low"][0] < 0 < found["high"][0]


@pytest.mark.parametrize("paired", [paired_in_one_model, paired_across_models])
def test_as_columns_a_difference_has_the_same_numbers(paired):
    first, second = numpy.random.default_rng(6).normal(size=(2, 3, 30))
    first[0, :5] = first[:, 7] = second[1, 3:8] = numpy.nan
    found = paired(first[None], second[None])
    row = difference_columns("lost", first, second, one_model=paired is paired_in_one_model)
    assert row == {
        "lost": pytest.approx(found["difference"][0]),
        "lost low": found["low"][0],
        "lost high": found["high"][0],
        "lost df": found["df"][0],
    }
