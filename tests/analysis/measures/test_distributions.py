"""Distances between distributions."""

import numpy
import pytest
from scipy.spatial.distance import jensenshannon

from analysis.measures import Measure, Scores


def distance(name, first, second):
    return Measure.named(name)(Scores.of(first), Scores.of(second))


def test_jsd_is_the_square_of_scipys_distance():
    generator = numpy.random.default_rng(0)
    first, second = ([generator.random(n) * 9 for n in range(1, 40)] for _ in range(2))
    expected = [jensenshannon(*pair) ** 2 for pair in zip(first, second)]
    assert distance("jsd", first, second).value.tolist() == pytest.approx(expected, abs=1e-12)


def test_tvd_is_half_the_differences_of_shares():
    found = distance("tvd", [[1, 1, 2], [3, 0]], [[0, 2, 2], [3, 0]])
    assert found.value.tolist() == pytest.approx([0.25, 0])


@pytest.mark.parametrize("name, largest", [("jsd", numpy.log(2)), ("tvd", 1)])
def test_distributions_without_a_common_token_are_farthest(name, largest):
    assert distance(name, [[1, 3, 0, 0]], [[0, 0, 2, 5]]).value[0] == pytest.approx(largest)


@pytest.mark.parametrize("name", ["jsd", "tvd"])
def test_what_is_no_distribution_says_why(name):
    found = distance(name, [[1, 2], [1, -1], [1, 1]], [[0, 0], [1, 2], [-1, 2]])
    assert found.undefined.tolist() == ["scores sum to 0", "negative scores", "negative scores"]
    assert numpy.isnan(found.value).all()
