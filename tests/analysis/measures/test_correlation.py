"""Pearson's, Spearman's and the weighted Kendall correlation against scipy, text by text."""

import warnings

import numpy
import pytest
from scipy.stats import pearsonr, spearmanr, weightedtau

from analysis.measures import Measure, Scores
from tests.analysis.measures.random_scores import random_pairs

SCIPY = {"pearson": pearsonr, "spearman": spearmanr, "weighted-tau": weightedtau}


@pytest.mark.parametrize("name", SCIPY)
def test_values_are_scipys(name):
    first, second = random_pairs(1000, (2, 40))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [SCIPY[name](*pair) for pair in zip(first, second)]
    found = Measure.named(name)(Scores.of(first), Scores.of(second))
    statistic = numpy.array([result.statistic for result in expected])
    assert set(found.undefined[numpy.isnan(statistic)]) == {"constant scores"}
    numpy.testing.assert_allclose(found.value, statistic, rtol=0, atol=1e-12)
    if name == "weighted-tau":
        assert found.p_value is None
    else:
        # scipy has no p-value for Spearman's correlation of two tokens, 1 for Pearson's.
        long = numpy.array([len(row) > 2 for row in first])
        p_value = numpy.array([result.pvalue for result in expected])
        # That of three tokens goes with the root of 1 - r, which is all rounding near r = 1.
        numpy.testing.assert_allclose(found.p_value[long], p_value[long], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_two_tokens_are_no_evidence(name):
    found = Measure.named(name)(Scores.of([[1, 2], [1, 2]]), Scores.of([[3, 7], [7, 3]]))
    assert found.value.tolist() == pytest.approx([1, -1])
    assert found.p_value.tolist() == [1, 1]


def test_pearson_of_scores_whose_squares_vanish():
    tiny = Scores.of([[1e-200, 2e-200, 4e-200]])
    assert Measure.named("pearson")(tiny, Scores.of([[1, 2, 4]])).value[0] == pytest.approx(1)


def test_weighted_tau_minds_the_top_more_than_the_bottom():
    order = [[1, 2, 3, 4, 5, 6]] * 2
    swapped_at_top_and_at_bottom = [[1, 2, 3, 4, 6, 5], [2, 1, 3, 4, 5, 6]]
    found = Measure.named("weighted-tau")(Scores.of(order), Scores.of(swapped_at_top_and_at_bottom))
    assert found.value[0] < found.value[1] < 1
