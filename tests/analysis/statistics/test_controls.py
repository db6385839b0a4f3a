"""Controls hold nothing of the first column, and their band is as wide as chance is."""

import numpy
import pytest
from scipy.stats import kendalltau

from analysis.measures.scores import Scores
from analysis.statistics.controls import Control, chance_band, permuted, random_scores
from analysis.statistics.seeded import text_keys, uniform

LISTS = [[3.0, 0.0, 0.0], [1.0, 2.0], None, [5.0], list(range(30))]
SCORES = Scores.of(LISTS)
KEYS = text_keys(["a", "b", "c", "d", "e"])


def as_lists(scores):
    return [text.tolist() for text in scores]


def test_permuting_keeps_each_texts_scores_and_moves_them():
    shuffled = permuted(SCORES, KEYS, 1)
    assert [sorted(text) for text in as_lists(shuffled)] == [sorted(t) for t in as_lists(SCORES)]
    assert as_lists(shuffled)[4] != LISTS[4]
    assert (shuffled.known == SCORES.known).all()


def test_every_order_of_a_text_is_equally_likely():
    one = Scores.of([[1.0, 2.0, 3.0]] * 6000)
    shuffled = permuted(one, text_keys(map(str, range(6000))), 0).values.reshape(-1, 3)
    _, times = numpy.unique(shuffled, axis=0, return_counts=True)
    # Binomial(6000, 1/6) has a standard deviation of 29.
    assert len(times) == 6 and (abs(times - 1000) < 130).all()


def test_draws_belong_to_the_text_whatever_stands_around_it():
    alone = Scores.of(LISTS[4:])
    assert (
        as_lists(random_scores(SCORES, KEYS, 1))[4]
        == as_lists(random_scores(alone, KEYS[4:], 1))[0]
    )
    assert as_lists(permuted(SCORES, KEYS, 1))[4] == as_lists(permuted(alone, KEYS[4:], 1))[0]


def test_streams_and_texts_draw_differently():
    long = Scores.of([numpy.zeros(5000)] * 2)
    keys = text_keys(["x", "y"])
    one, other = (uniform(long, keys, "random", stream) for stream in (1, 2))
    for numbers in (one, other):
        assert numbers.mean() == pytest.approx(0.5, abs=0.02)
        assert numbers.std() == pytest.approx(12**-0.5, abs=0.01)
    first, second = one.reshape(2, -1)
    assert abs(numpy.corrcoef(one, other)[0, 1]) < 0.05
    assert abs(numpy.corrcoef(first, second)[0, 1]) < 0.06
    assert abs(numpy.corrcoef(first[1:], first[:-1])[0, 1]) < 0.06


def slow_taus(draws, texts, seed):
    generator = numpy.random.default_rng(seed)
    pairs = generator.random((draws, texts, 2, 6))
    return numpy.array([[kendalltau(*pair).statistic for pair in draw] for draw in pairs])


def test_the_band_holds_the_mean_of_a_single_draw_as_often_as_it_says():
    low, high = chance_band(slow_taus(draws=5, texts=40, seed=0)[:, None])
    means = slow_taus(draws=300, texts=40, seed=1).mean(axis=1)
    assert 0.9 < ((low <= means) & (means <= high)).mean() < 0.99


def test_more_draws_do_not_narrow_the_band():
    few, many = (
        numpy.diff(chance_band(numpy.random.default_rng(draws).normal(size=(draws, 1, 500))))
        for draws in (3, 60)
    )
    assert few == pytest.approx(many, rel=0.1)
    assert many == pytest.approx(2 * 1.96 / numpy.sqrt(500), rel=0.05)


def test_a_control_is_summed_up_over_texts_and_draws():
    value = numpy.array([[[0.0, 1.0, numpy.nan]], [[0.5, 0.0, numpy.nan]]])
    control = Control(value=value, p_value=numpy.array([[[0.01, 0.5, numpy.nan]]] * 2))
    numpy.testing.assert_array_equal(control.expected, [[0.25, 0.5, numpy.nan]])
    found = control.summary()
    assert found["mean"] == pytest.approx(0.375) and found["significant"] == 0.5
    # The variances of two texts, over two of them.
    error = numpy.sqrt((0.125 + 0.5) / 2 / 2)
    assert found["high"] == pytest.approx(0.375 + 1.96 * error, abs=1e-3)
    nobody = control.where(numpy.zeros((1, 3), dtype=bool)).summary()
    assert numpy.isnan(nobody["mean"]) and numpy.isnan(nobody["low"])
