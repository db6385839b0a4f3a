"""Controls hold nothing of the first column, and their band is as wide as chance is."""

import numpy
import pytest
from scipy.stats import t

from analysis.measures.scores import Scores
from analysis.statistics.samples import (
    Control,
    chance_band,
    permuted,
    random_scores,
    text_keys,
    uniform,
)

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


def share_inside(draws, seeds, texts, trials, seed):
    """How often the mean of one more draw is in the band of the others; texts vary by themselves."""
    generator = numpy.random.default_rng(seed)
    spread = generator.uniform(0.2, 1, size=texts)
    values = spread * generator.random(size=(trials, draws + 1, seeds, texts))
    bands = numpy.array([chance_band(one[1:]) for one in values])
    once_more = values[:, 0].mean(axis=(1, 2))
    return ((bands[:, 0] <= once_more) & (once_more <= bands[:, 1])).mean()


@pytest.mark.parametrize("draws", [2, 5, 20])
def test_the_band_holds_the_mean_of_one_more_draw_95_times_in_100(draws):
    # 2000 trials have a standard deviation of .005. Without the middle's own error: .89 for 2.
    assert 0.93 < share_inside(draws, seeds=1, texts=40, trials=2000, seed=0) < 0.97


def test_seeds_that_draw_by_themselves_count_like_texts():
    assert 0.93 < share_inside(draws=5, seeds=3, texts=20, trials=2000, seed=1) < 0.97


def test_more_draws_narrow_the_band_by_the_error_of_its_middle_alone():
    few, many = (
        numpy.diff(chance_band(numpy.random.default_rng(draws).normal(size=(draws, 1, 2000))))
        for draws in (3, 60)
    )
    assert few / many == pytest.approx(numpy.sqrt((1 + 1 / 3) / (1 + 1 / 60)), rel=0.05)
    assert many == pytest.approx(2 * 1.96 / numpy.sqrt(2000), rel=0.05)


def test_a_text_with_fewer_draws_leaves_a_larger_error_of_the_middle():
    values = numpy.random.default_rng(0).normal(size=(4, 1, 5000))
    values[1:3, 0, ::2] = numpy.nan
    expected = 2 * 1.96 * numpy.sqrt((1 + (1 / 2 + 1 / 4) / 2) / 5000)
    assert numpy.diff(chance_band(values)) == pytest.approx(expected, rel=0.05)


def test_a_control_is_summed_up_over_texts_and_draws():
    value = numpy.array([[[0.0, 1.0, numpy.nan]], [[0.5, 0.0, numpy.nan]]])
    control = Control(value=value, p_value=numpy.array([[[0.01, 0.5, numpy.nan]]] * 2))
    numpy.testing.assert_array_equal(control.expected, [[0.25, 0.5, numpy.nan]])
    found = control.summary()
    assert found["mean"] == pytest.approx(0.375) and found["significant"] == 0.5
    # The variances of two texts, over two of them; the middle is known by two draws.
    error = numpy.sqrt((0.125 + 0.5) / 2 / 2 * (1 + 1 / 2))
    assert found["high"] == pytest.approx(0.375 + t.ppf(0.975, 2) * error)
    nobody = control.where(numpy.zeros((1, 3), dtype=bool)).summary()
    assert numpy.isnan(nobody["mean"]) and numpy.isnan(nobody["low"])
