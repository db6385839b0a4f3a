"""Bootstrap intervals, against draws that are made one by one."""

import numpy
import pytest

from analysis.statistics import bootstrap as module
from analysis.statistics.bootstrap import Bootstrap, times_taken


def values_with_gaps(columns=3, seeds=2, texts=15):
    values = numpy.random.default_rng(0).normal(size=(columns, seeds, texts))
    values[0, 1, 3] = values[1, :, 4] = numpy.nan
    return values


def slow_mean(column, seeds_taken, texts_taken):
    """Of a list of every value that a draw takes, as often as it takes it."""
    taken = [
        column[seed, text]
        for seed, times in enumerate(seeds_taken)
        for _ in range(int(times))
        for text, again in enumerate(texts_taken)
        for _ in range(int(again))
    ]
    return numpy.nanmean(taken)


def test_a_draw_takes_seeds_and_for_all_of_them_the_same_texts():
    values, bootstrap = values_with_gaps(), Bootstrap(draws=20, seed=5)
    found = bootstrap.means(values)
    (texts_taken,) = bootstrap._text_weights(15)
    seeds_taken = bootstrap._seed_weights(2, stream=0)
    for draw in range(20):
        for column in range(3):
            expected = slow_mean(values[column], seeds_taken[draw], texts_taken[draw])
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


def test_the_interval_of_one_seed_is_that_of_the_standard_error():
    values = numpy.random.default_rng(1).normal(size=(1, 1, 2000))
    ((low, high),) = Bootstrap().intervals(values)
    error = values.std() / numpy.sqrt(2000)
    assert (low, high) == pytest.approx(
        values.mean() + 1.96 * error * numpy.array([-1, 1]), abs=0.01
    )


def test_seeds_that_differ_widen_the_interval():
    texts = numpy.random.default_rng(2).normal(size=200)
    alike = numpy.array([[texts, texts, texts]])
    apart = alike + numpy.array([-1, 0, 1])[None, :, None]
    narrow, wide = (numpy.diff(Bootstrap().intervals(values))[0, 0] for values in (alike, apart))
    # Three copies of a text are still one text.
    single = numpy.diff(Bootstrap().intervals(alike[:, :1]))[0, 0]
    assert narrow == pytest.approx(single) and wide > 2 * narrow


def test_a_single_text_has_no_interval_and_none_is_no_error():
    values = numpy.full((2, 1, 4), numpy.nan)
    values[0, 0, 2] = 1.0
    assert numpy.isnan(Bootstrap(draws=50).intervals(values)).all()


def test_the_same_seed_gives_the_same_interval_and_another_one_another():
    values = values_with_gaps()
    same = [Bootstrap(draws=100, seed=seed).intervals(values) for seed in (3, 3, 4)]
    assert (same[0] == same[1]).all() and (same[0] != same[2]).any()


def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    samples = numpy.random.default_rng(3).exponential(size=(400, 1, 60))
    intervals = Bootstrap(draws=400).intervals(samples)
    covered = ((intervals[:, 0] <= 1) & (intervals[:, 1] >= 1)).mean()
    assert 0.88 < covered < 0.98
