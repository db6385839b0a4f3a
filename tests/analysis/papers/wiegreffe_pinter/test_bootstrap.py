"""Bootstrap draws, against draws that are made one by one."""

import numpy
import pytest

from analysis.papers.wiegreffe_pinter import plane_numbers as module
from analysis.papers.wiegreffe_pinter.plane_numbers import Bootstrap, times_taken


def values_with_gaps(columns=3, seeds=2, texts=15):
    values = numpy.random.default_rng(0).normal(size=(columns, seeds, texts))
    values[0, 1, 3] = values[1, :, 4] = numpy.nan
    return values


def slow_mean(column, texts_taken):
    """Of a list of every value that a draw takes, as often as it takes it."""
    taken = [
        seed[text]
        for seed in column
        for text, again in enumerate(texts_taken)
        for _ in range(int(again))
    ]
    return numpy.nanmean(taken)


def test_a_draw_takes_the_same_texts_for_all_seeds_and_columns():
    values, bootstrap = values_with_gaps(), Bootstrap(draws=20, seed=5)
    found = bootstrap.means(values)
    (texts_taken,) = bootstrap._text_weights(15)
    for draw in range(20):
        for column in range(3):
            expected = slow_mean(values[column], texts_taken[draw])
            assert found[draw, column] == pytest.approx(expected)


def test_every_draw_takes_as_many_as_there_are():
    taken = times_taken(numpy.random.default_rng(0), draws=50, size=7)
    assert taken.shape == (50, 7) and (taken.sum(axis=1) == 7).all()
    assert len(numpy.unique(taken, axis=0)) > 40


def test_blocks_change_nothing(monkeypatch):
    values = values_with_gaps(columns=5)
    whole = Bootstrap(draws=30).means(values)
    monkeypatch.setattr(module, "BLOCK", 70)
    numpy.testing.assert_allclose(Bootstrap(draws=30).means(values), whole)


def test_the_interval_of_a_mean_is_that_of_the_standard_error():
    values = numpy.random.default_rng(1).normal(size=(1, 1, 2000))
    bootstrap = Bootstrap()
    found = bootstrap.between(bootstrap.means(values)[:, 0])
    error = values.std() / numpy.sqrt(2000)
    expected = values.mean() + 1.96 * error * numpy.array([-1, 1])
    assert found == pytest.approx(expected, abs=0.01)


def test_draws_without_a_value_are_left_out_and_none_have_no_interval():
    draws = numpy.array([numpy.nan, 1.0, 2.0, 3.0])
    assert Bootstrap(level=0.5).between(draws) == pytest.approx([1.5, 2.5])
    assert numpy.isnan(Bootstrap().between(draws[:1])).all()


def test_the_same_seed_gives_the_same_draws_and_another_one_others():
    values = values_with_gaps()
    same = [Bootstrap(draws=100, seed=seed).means(values) for seed in (3, 3, 4)]
    assert (same[0] == same[1]).all() and (same[0] != same[2]).any()
