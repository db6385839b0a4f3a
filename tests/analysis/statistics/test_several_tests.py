"""Corrected p-values, from the step-wise definitions."""

import numpy
import pytest
from scipy.stats import false_discovery_control

from analysis.statistics.significance import benjamini_hochberg, holm, share_significant

P = numpy.array([0.01, numpy.nan, 0.04, 0.03, 0.005, 0.7, 0.03])


def rejected_by_holm(p_values, alpha):
    """Down from the smallest, until one is larger than alpha over those that are left."""
    rejected, order = set(), sorted(range(len(p_values)), key=lambda test: p_values[test])
    for step, test in enumerate(order):
        if p_values[test] > alpha / (len(p_values) - step):
            break
        rejected.add(test)
    return rejected


def rejected_by_benjamini_hochberg(p_values, alpha):
    """All up to the largest that is at most its rank's share of alpha."""
    ranked = sorted(p_values)
    fits = [p for rank, p in enumerate(ranked, 1) if p <= alpha * rank / len(ranked)]
    return {test for test, p in enumerate(p_values) if fits and p <= max(fits)}


@pytest.mark.parametrize(
    "adjust, rejected",
    [(holm, rejected_by_holm), (benjamini_hochberg, rejected_by_benjamini_hochberg)],
)
@pytest.mark.parametrize("alpha", [0.01, 0.03, 0.05, 0.1, 0.5])
def test_adjusted_p_values_reject_what_the_procedure_does(adjust, rejected, alpha):
    tests = P[~numpy.isnan(P)]
    found = {test for test, p in enumerate(adjust(tests)) if p <= alpha}
    assert found == rejected(tests.tolist(), alpha)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_what_was_not_tested_is_not_counted(adjust):
    adjusted = adjust(P)
    assert numpy.isnan(adjusted[1])
    numpy.testing.assert_array_equal(numpy.delete(adjusted, 1), adjust(numpy.delete(P, 1)))
    assert numpy.isnan(adjust(numpy.full(3, numpy.nan))).all()


def test_the_share_of_significant_texts_is_corrected_within_each_seed():
    p_values = numpy.array([[0.04, 0.9, 0.9, numpy.nan], [0.04, 0.04, 0.04, 0.05]])
    assert share_significant(p_values) == pytest.approx(5 / 7)
    # Alone among three tests .04 is nothing; among four that are all small it is.
    assert share_significant(p_values, corrected=True) == pytest.approx(4 / 7)
    assert numpy.isnan(share_significant(numpy.full((2, 3), numpy.nan)))


def test_families_that_are_adjusted_together_are_scipys_one_by_one():
    drawn = numpy.random.default_rng(1).random((20, 15)) ** 3
    for family, adjusted in zip(drawn, benjamini_hochberg(drawn), strict=True):
        numpy.testing.assert_allclose(adjusted, false_discovery_control(family, method="bh"))
