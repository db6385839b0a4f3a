"""Ratios of means: against the definition, and by how often their intervals hold the truth."""

import numpy
import pytest

from analysis.statistics.intervals import intervals
from analysis.statistics.samples import rescale

TRUE = 0.4


def ratio_intervals(above, below):
    """Of mean(above) / mean(below): positions between 0 and `below`."""
    return intervals(rescale(above, numpy.zeros_like(above), below))


def drawn(seeds, texts, trials, of_seeds=0.0, rng=0):
    """What is gained of what could be: a share of TRUE, that varies with seeds and texts."""
    generator = numpy.random.default_rng(rng)
    below = generator.beta(1, 2, (trials, 1, texts)) * generator.uniform(
        0.5, 1.5, (trials, seeds, texts)
    )
    share = TRUE + of_seeds * generator.standard_normal((trials, seeds, 1))
    share = share + 0.3 * generator.standard_normal((trials, 1, texts))
    share = share + 0.3 * generator.standard_normal((trials, seeds, texts))
    return share * below, below


def test_it_is_the_ratio_of_the_means_of_cells_that_both_have():
    above, below = drawn(3, 20, trials=2)
    above[0, 1, 4] = below[0, 2, 5] = numpy.nan
    found = ratio_intervals(above, below)
    for trial in range(2):
        pairs = [
            (one, other)
            for one, other in zip(above[trial].ravel(), below[trial].ravel())
            if not (numpy.isnan(one) or numpy.isnan(other))
        ]
        expected = sum(one for one, _ in pairs) / sum(other for _, other in pairs)
        assert found.mean[trial] == pytest.approx(expected)
        assert found.low[trial] < expected < found.high[trial]


def test_with_a_fixed_denominator_it_is_the_interval_of_a_mean():
    above, _ = drawn(4, 30, trials=3)
    found, of_means = ratio_intervals(above, numpy.full_like(above, 0.5)), intervals(above)
    assert found.mean == pytest.approx(of_means.mean / 0.5)
    assert found.low == pytest.approx(of_means.low / 0.5)
    assert found.high == pytest.approx(of_means.high / 0.5)


def test_a_negative_denominator_is_a_scale_the_other_way():
    above, below = drawn(3, 30, trials=2)
    up, down = ratio_intervals(above, below), ratio_intervals(-above, -below)
    assert down.mean == pytest.approx(up.mean)
    assert down.low == pytest.approx(up.low)


def test_nothing_to_gain_is_no_scale():
    found = ratio_intervals(numpy.ones((1, 2, 3)), numpy.zeros((1, 2, 3)))
    assert numpy.isnan([found.mean[0], found.low[0], found.high[0]]).all()


@pytest.mark.parametrize("seeds, of_seeds", [(1, 0.0), (3, 0.0), (3, 0.2), (5, 0.1)])
@pytest.mark.parametrize("texts", [50, 200])
def test_intervals_hold_the_truth_as_often_as_they_say(seeds, texts, of_seeds):
    found = ratio_intervals(*drawn(seeds, texts, 1000, of_seeds))
    held = ((found.low <= TRUE) & (found.high >= TRUE)).mean()
    assert 0.925 <= held <= 0.98
