"""Kendall's tau-b of all texts at once against one text at a time."""

import warnings
from itertools import combinations
from math import factorial, sqrt

import numpy
import pytest
from scipy.stats import kendalltau

from analysis.measures import Measure, Scores
from analysis.measures.kendall import inversion_tails
from tests.analysis.measures.random_scores import random_pairs


def agreement(first, second):
    return Measure.named("kendall")(Scores.of(first), Scores.of(second))


def tau_b_by_definition(first, second):
    signs = [
        (numpy.sign(first[i] - first[j]), numpy.sign(second[i] - second[j]))
        for i, j in combinations(range(len(first)), 2)
    ]
    untied = [sum(pair[column] != 0 for pair in signs) for column in (0, 1)]
    return sum(a * b for a, b in signs) / sqrt(untied[0] * untied[1])


@pytest.mark.parametrize("count, lengths", [(2000, (1, 36)), (8000, (30, 80))])
def test_tau_and_p_value_are_scipys(count, lengths):
    first, second = random_pairs(count, lengths)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [kendalltau(*pair) for pair in zip(first, second)]
    found = agreement(first, second)
    tau = numpy.array([result.statistic for result in expected])
    p_value = numpy.array([result.pvalue for result in expected])
    assert numpy.isnan(tau).sum() > 50
    numpy.testing.assert_allclose(found.value, tau, rtol=0, atol=1e-12)
    numpy.testing.assert_allclose(found.p_value, p_value, rtol=1e-9, atol=1e-12)
    assert numpy.array_equal(found.undefined != "", numpy.isnan(tau))


def test_tau_is_the_definition():
    first, second = random_pairs(200, (2, 12), seed=1)
    found = agreement(first, second)
    for index in numpy.flatnonzero(found.undefined == ""):
        expected = tau_b_by_definition(first[index], second[index])
        assert found.value[index] == pytest.approx(expected, abs=1e-12)


def test_long_texts_next_to_the_same_or_the_opposite_order_have_the_exact_p_value():
    rows = [[*range(34)], [1, 0, *range(2, 34)], [*range(34)][::-1], [*range(200)]]
    found = agreement([sorted(row) for row in rows], rows)
    expected = [2 / factorial(34), 2 / factorial(33), 2 / factorial(34), 0]
    assert found.p_value.tolist() == pytest.approx(expected, rel=1e-12, abs=0)


def test_why_there_is_no_tau():
    found = agreement(
        [[1, 1, 1], [1, 2, 3], [1], None, [1, float("nan")], [1, 2]],
        [[1, 2, 3], [4, 4, 4], [2], [1, 2], [1, 2], [1, 2]],
    )
    assert found.undefined.tolist() == [
        "constant scores",
        "constant scores",
        "too few tokens",
        "no scores",
        "scores that are not finite",
        "",
    ]
    assert numpy.isnan(found.value).tolist() == [True] * 5 + [False]
    assert numpy.isnan(found.p_value).tolist() == [True] * 5 + [False]


def test_two_tokens():
    found = agreement([[1, 2], [1, 2]], [[5, 6], [6, 5]])
    assert (found.value.tolist(), found.p_value.tolist()) == ([1, -1], [1, 1])


def test_inversions_of_four_are_distributed_as_counted_by_hand():
    assert (inversion_tails()[4, :4] * 24).tolist() == pytest.approx([1, 4, 9, 15])
