"""What all orders of one column give on average, where a measure says that it is known."""

import numpy
import pytest

from analysis.measures import Measure, Scores
from tests.analysis.measures.test_ceiling import in_all_orders, patterns


@pytest.mark.parametrize("name", ["kendall", "spearman", "pearson"])
def test_it_is_the_mean_of_all_orders_for_every_pattern_of_ties(name):
    measure = Measure.named(name)
    for first in patterns(4):
        for second in patterns(5):
            # Orders of tied scores count once each, as often as they come.
            orders = in_all_orders(second[:4])
            values = measure(Scores.of([first] * len(orders)), Scores.of(orders)).value
            if not numpy.isnan(values).any():
                assert values.mean() == pytest.approx(measure.mean_by_chance, abs=1e-12)
