"""What one column is like."""

import numpy
import pytest
from scipy.stats import entropy

from analysis.measures import Property, Scores
from attention_explain.errors import InputError
from tests.analysis.measures.random_scores import random_pairs


def found(name, rows):
    return Property.named(name)(Scores.of(rows))


def test_entropy_is_scipys_over_its_largest():
    generator = numpy.random.default_rng(0)
    rows = [generator.random(n) for n in range(2, 40)]
    expected = [entropy(row) / numpy.log(len(row)) for row in rows]
    assert found("entropy", rows).value.tolist() == pytest.approx(expected, abs=1e-12)


def test_entropy_of_uniform_scores_is_1_and_of_one_token_0():
    assert found("entropy", [[2, 2, 2], [0, 7, 0]]).value.tolist() == pytest.approx([1, 0])


def test_gini_is_the_mean_difference_over_twice_the_mean():
    rows, _ = random_pairs(100, (1, 30))
    rows = [row + 1 for row in rows]
    expected = [numpy.abs(row[:, None] - row[None, :]).mean() / (2 * row.mean()) for row in rows]
    assert found("gini", rows).value.tolist() == pytest.approx(expected, abs=1e-12)


def test_non_zeros_and_max():
    rows = [[0, 0.5, -2.0], [0.0], [-3.0, -1.0], None]
    assert found("non-zeros", rows).value[:3].tolist() == [2, 0, 2]
    assert found("max", rows).value[:3].tolist() == [0.5, 0, -1]
    assert found("max", rows).undefined.tolist() == ["", "", "", "no scores"]


@pytest.mark.parametrize("name", ["entropy", "gini"])
def test_what_is_no_distribution_says_why(name):
    values = found(name, [[0, 0], [1, -1], None, [1, float("inf")]])
    assert values.undefined.tolist() == [
        "scores sum to 0",
        "negative scores",
        "no scores",
        "scores that are not finite",
    ]
    assert numpy.isnan(values.value).all()


def test_entropy_needs_two_tokens():
    assert found("entropy", [[1.0]]).undefined.tolist() == ["too few tokens"]


def test_an_unknown_property_is_named():
    with pytest.raises(InputError, match="no property 'kendall'; there are entropy, gini"):
        Property.named("kendall")
