"""Student's interval is scipy's."""

import numpy
import pytest
from scipy import stats

from analysis.statistics.intervals import student_interval


def test_it_is_that_of_a_t_test():
    values = [0.8, 0.83, 0.81, 0.86]
    found = student_interval(numpy.mean(values), numpy.std(values, ddof=1), len(values))
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert found == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("number", [1, 2])
def test_one_or_two_values_have_none(number):
    assert numpy.isnan(student_interval(0.8, 0.1, number)).all()
