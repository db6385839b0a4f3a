"""Intervals that know what more texts would make of them."""

import numpy
import pytest
from scipy.stats import binomtest

from analysis.statistics.intervals import intervals
from analysis.verdict.means import Mean, texts_needed, wilson_interval
from analysis.written import Estimate


@pytest.mark.parametrize("hits, number", [(0, 5), (3, 40), (40, 40), (500, 1000)])
def test_wilson_s_interval_is_scipy_s(hits, number):
    theirs = binomtest(hits, number).proportion_ci(method="wilson")
    ours = wilson_interval(hits / number, number)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_0_of_5_texts_has_a_wide_interval():
    mean = Mean.of(numpy.zeros((1, 5)), share=True)
    assert mean.estimate.low == 0.0 and mean.estimate.high > 0.4


@pytest.mark.parametrize("seeds", [1, 3])
def test_a_mean_has_the_interval_that_tables_have(seeds):
    values = numpy.random.default_rng(0).normal(size=(seeds, 50))
    found, expected = Mean.of(values).estimate, intervals(values[None])
    assert (found.low, found.high) == (expected.low[0], expected.high[0])


def test_four_times_the_texts_halve_the_interval():
    mean = Mean(Estimate(0.4, 0.2, 0.6), texts=50)
    more = mean.with_texts(200)
    assert (more.low, more.high) == pytest.approx((0.3, 0.5))


def test_the_needed_number_of_texts_is_the_smallest():
    mean = Mean(Estimate(0.45, 0.35, 0.55), texts=50)
    needed = texts_needed([mean], lambda ends: ends[0].high < 0.5)
    assert needed == 201
    assert mean.with_texts(needed).high < 0.5 <= mean.with_texts(needed - 1).high


def test_a_mean_on_the_bound_and_a_spread_of_seeds_are_not_decided_by_texts():
    on_it = Mean(Estimate(0.5, 0.4, 0.6), texts=50)
    of_seeds = Mean(Estimate(0.45, 0.35, 0.55), texts=50, of_seeds=0.09**2)
    for mean in (on_it, of_seeds):
        assert texts_needed([mean], lambda ends: ends[0].high < 0.5) is None


def test_more_texts_do_not_reduce_the_spread_of_seeds():
    draw = numpy.random.default_rng(1)
    values = draw.normal(size=(3, 400)) * 0.1 + numpy.array([[0.0], [0.5], [1.0]])
    mean = Mean.of(values)
    assert mean.of_seeds == pytest.approx((mean.estimate.high - mean.estimate.mean) ** 2, rel=0.01)
