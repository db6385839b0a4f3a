"""Intervals of means: from the analysis of variance, and by how often they hold the truth."""

import numpy
import pytest
from scipy import stats

from analysis.statistics import intervals as module
from analysis.statistics.intervals import intervals, intervals_of_sums
from analysis.statistics.significance import SignFlips, paired_across_models, paired_in_one_model

NAN = numpy.nan
# Intervals are what is tried here.
NO_FLIPS = SignFlips(draws=1)


def slow_variances(values):
    """
    Of the mean, for seeds and for texts: mean squares of the two-way table of a model in which
    seeds, texts and what is particular to both are random. Shape: (seeds, texts)
    """
    seeds, texts = values.shape
    mean = values.mean()
    of_seeds = [row.mean() - mean for row in values]
    of_texts = [column.mean() - mean for column in values.T]
    rest = [
        values[seed, text] - mean - of_seeds[seed] - of_texts[text]
        for seed in range(seeds)
        for text in range(texts)
    ]
    square_seeds = texts * sum(one**2 for one in of_seeds) / (seeds - 1)
    square_texts = seeds * sum(one**2 for one in of_texts) / (texts - 1)
    square_rest = sum(one**2 for one in rest) / ((seeds - 1) * (texts - 1))
    # Their expectations are r + T s, r + S t and r; the mean's variance is s/S + r/(S T) + t/T.
    return square_seeds / (seeds * texts), max(square_texts - square_rest, 0) / (seeds * texts)


def slow_freedom(values):
    seeds, texts = values.shape
    of_seeds, of_texts = slow_variances(values)
    share = of_seeds / (of_seeds + of_texts)
    return 1 / (share / (seeds - 1) + (1 - share) / (texts - 1))


def slow_interval(values):
    of_seeds, of_texts = slow_variances(values)
    freedom = slow_freedom(values)
    half = stats.t.ppf(0.975, freedom) * numpy.sqrt(of_seeds + of_texts)
    return values.mean() - half, values.mean() + half


def crossed(seeds, texts, of_seeds=1.0, of_texts=1.0, rest=1.0, trials=1, rng=0, skewed=False):
    """
    Values with mean 0; each standard deviation is what its part adds to that of the mean, and texts
    may be skewed as an exponential is. Shape: (trials, seeds, texts)
    """
    generator = numpy.random.default_rng(rng)
    particular = generator.standard_normal((trials, seeds, texts))
    by_seed = generator.standard_normal((trials, seeds, 1))
    by_text = generator.standard_normal((trials, 1, texts))
    if skewed:
        by_text = generator.standard_exponential((trials, 1, texts)) - 1
    by_seed, by_text = of_seeds * seeds**0.5 * by_seed, of_texts * texts**0.5 * by_text
    return by_seed + by_text + rest * (seeds * texts) ** 0.5 * particular


@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize("of_seeds, of_texts", [(1, 1), (0, 3), (3, 0)])
def test_it_is_that_of_the_two_way_table(seeds, of_seeds, of_texts):
    values = crossed(seeds, 30, of_seeds, of_texts, 0.5, trials=4)
    found = intervals(values)
    for trial, one in enumerate(values):
        assert found.mean[trial] == pytest.approx(one.mean())
        assert (found.low[trial], found.high[trial]) == pytest.approx(slow_interval(one))
    assert set(found.over) == {"texts and seeds"}


@pytest.mark.parametrize("seeds", [1, 2])
def test_of_one_or_two_seeds_it_is_students_over_texts(seeds):
    values = crossed(seeds, 40)
    found = intervals(values)
    expected = stats.ttest_1samp(values[0].mean(axis=0), 0).confidence_interval(0.95)
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high))
    assert found.over.tolist() == ["texts"]


def test_with_seeds_and_nothing_common_it_is_students_over_seeds():
    values = crossed(4, 2000, of_texts=0, rest=0) + numpy.zeros(2000)
    found = intervals(values)
    expected = stats.ttest_1samp(values[0].mean(axis=1), 0).confidence_interval(0.95)
    assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high))


def test_seeds_that_say_the_same_are_one():
    texts = numpy.random.default_rng(2).normal(size=(1, 1, 200))
    one, three = intervals(texts), intervals(numpy.repeat(texts, 3, axis=1))
    assert three.low == pytest.approx(one.low) and three.high == pytest.approx(one.high)
    # Without any doubt there is no width.
    same = intervals(numpy.full((1, 3, 5), 0.25))
    assert (same.low[0], same.high[0]) == (0.25, 0.25)


def test_two_models_are_compared_on_the_same_texts():
    """What is hard for both is no doubt about the difference; seeds of both are."""
    values = crossed(3, 50, of_texts=0)
    hard = 100 * numpy.random.default_rng(1).normal(size=50)
    alone = intervals_of_sums([values, -numpy.zeros((1, 3, 50))])
    found = intervals_of_sums([values + hard, -numpy.broadcast_to(hard, (1, 3, 50))])
    assert (found.low[0], found.high[0]) == pytest.approx((alone.low[0], alone.high[0]))
    other = crossed(3, 50, rng=1)
    both = intervals_of_sums([values, -other])
    seeds = [stats.describe(one[0].mean(axis=1)).variance / 3 for one in (values, other)]
    assert both.high[0] - both.low[0] > 2 * stats.t.ppf(0.975, 4) * sum(seeds) ** 0.5


def test_other_seeds_are_in_it_only_where_every_model_has_three():
    values = crossed(3, 50)
    assert intervals_of_sums([values, -crossed(5, 50, rng=1)]).over_seeds.all()
    for few in (crossed(1, 50, rng=1), crossed(2, 50, rng=1)):
        found = intervals_of_sums([values, -few])
        difference = values[0].mean(axis=0) - few[0].mean(axis=0)
        expected = stats.ttest_1samp(difference, 0).confidence_interval(0.95)
        assert not found.over_seeds.any()
        assert (found.low[0], found.high[0]) == pytest.approx((expected.low, expected.high))


def test_gaps_are_left_out():
    values = crossed(3, 30)
    gaps = numpy.concatenate([values, numpy.full((1, 3, 8), NAN)], axis=2)
    assert intervals(gaps).low == pytest.approx(intervals(values).low)
    gaps = numpy.concatenate([values, numpy.full((1, 1, 30), NAN)], axis=1)
    assert intervals(gaps).high == pytest.approx(intervals(values).high)
    # Groups whose texts have values under two seeds of three are about these two.
    values[0, 2] = NAN
    assert intervals(values).low == pytest.approx(intervals(values[:, :2]).low)
    assert not intervals(values).over_seeds.any()


def test_fewer_than_two_texts_have_none_and_none_is_no_error(recwarn):
    values = numpy.full((2, 3, 4), NAN)
    values[0, :, 2] = 1.0
    found = intervals(values)
    assert numpy.isnan([found.low, found.high]).all() and found.mean[0] == 1.0
    assert intervals(numpy.empty((0, 3, 4))).low.shape == (0,)
    assert not list(recwarn)


def test_blocks_change_nothing(monkeypatch):
    first, second = crossed(3, 20, trials=7), crossed(4, 20, trials=7, rng=1)
    whole = intervals_of_sums([first, -second])
    monkeypatch.setattr(module, "BLOCK", 300)
    blocks = intervals_of_sums([first, -second])
    numpy.testing.assert_allclose(blocks.low, whole.low)
    assert (blocks.over_seeds == whole.over_seeds).all()


def covered(found):
    return ((found.low <= 0) & (found.high >= 0)).mean()


# What seeds, texts, and both together add to the standard deviation of the mean.
SHARES = [(0, 1, 0.1), (0, 1, 1), (0.3, 1, 0.3), (1, 1, 0.3), (3, 1, 0.3), (1, 0, 1)]


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("skewed", [False, True])
def test_it_holds_the_truth_95_times_in_100(seeds, skewed):
    """1500 trials have a standard deviation of .006."""
    for position, shares in enumerate(SHARES):
        values = crossed(seeds, 100, *shares, trials=1500, rng=position, skewed=skewed)
        assert 0.93 <= covered(intervals(values)) <= 0.97, shares


@pytest.mark.parametrize("seeds", [1, 3, 5, 10])
def test_with_2000_texts_it_does_so_too(seeds):
    """400 trials have a standard deviation of .011."""
    of_seeds = 0 if seeds == 1 else 0.5
    values = crossed(seeds, 2000, of_seeds, 1, 0.3, trials=400, rng=0, skewed=True)
    assert 0.93 <= covered(intervals(values)) <= 0.975


def test_texts_that_have_no_value_under_some_seeds_do_no_harm():
    for position, shares in enumerate(SHARES):
        values = crossed(3, 100, *shares, trials=1500, rng=position)
        values[numpy.random.default_rng(9).random(values.shape) < 0.1] = NAN
        assert 0.93 <= covered(intervals(values)) <= 0.98, shares


@pytest.mark.parametrize("seeds, others", [(3, 3), (3, 5), (5, 5), (10, 10)])
def test_two_models_of_one_population_differ_in_6_of_100_trials_at_most(seeds, others):
    for position, (of_seeds, of_texts, rest) in enumerate(SHARES[1:-1]):
        first, second = (
            crossed(number, 100, of_seeds, 0, rest, trials=1000, rng=[position, number, model])
            for model, number in enumerate((seeds, others))
        )
        # Some is common to the models, some particular to each.
        hard, one, other = (
            crossed(1, 100, 0, of_texts, 0, trials=1000, rng=[position, model], skewed=True)
            for model in range(3)
        )
        found = paired_across_models(first + hard + one / 2, second + hard + other / 2, NO_FLIPS)
        apart = (found["low"] > 0) | (found["high"] < 0)
        assert 0.02 <= apart.mean() <= 0.06, (of_seeds, of_texts, rest)


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_nor_do_two_methods_in_one_model(seeds):
    for position, (of_seeds, of_texts, rest) in enumerate(SHARES[1:-1]):
        first, second = (
            crossed(seeds, 100, of_seeds, of_texts, rest, trials=1000, rng=[position, method])
            for method in range(2)
        )
        common = crossed(seeds, 100, 1, 5, 1, trials=1000, rng=[position, 3], skewed=True)
        found = paired_in_one_model(first + common, second + common, NO_FLIPS)
        apart = (found["low"] > 0) | (found["high"] < 0)
        assert 0.03 <= apart.mean() <= 0.06, (of_seeds, of_texts, rest)


def test_an_interval_of_shares_ends_where_shares_do():
    values = numpy.array([[[0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 0.0, 1.0]]])
    wide, shares = intervals(values), intervals(values).of_shares()
    assert wide.high[0] > 1 and shares.high[0] == 1
    assert shares.low[0] == max(wide.low[0], 0) and shares.mean[0] == wide.mean[0]
    # What is not known stays so.
    assert numpy.isnan(intervals(values[:, :1, :1]).of_shares().low[0])


def test_an_interval_has_its_degrees_of_freedom():
    values = crossed(4, 30, trials=3)
    found = intervals(values)
    assert found.df == pytest.approx([slow_freedom(one) for one in values])
    # They are at least one less than there are seeds, and one less than texts where these are all that counts.
    assert (found.df >= 3).all() and found.columns()["df"] is found.df
    assert intervals(values[:, :2]).df == pytest.approx([29] * 3)
