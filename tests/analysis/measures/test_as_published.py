"""That `as-published` gives the numbers of the published implementation, error and all."""

from math import comb

import numpy
import pytest
from scipy.stats import kendalltau

from analysis.measures import Measure, Scores
from tests.analysis.measures.random_scores import random_pairs


def agreement(first, second, k="non-zero"):
    return Measure.named(f"as-published:k={k}")(Scores.of(first), Scores.of(second))


def by_definition(first, second, k):
    lists = [
        set(sorted(range(len(column)), key=lambda token: -column[token])[:k])
        for column in (first, second)
    ]
    common = sorted(lists[0] & lists[1])
    tau = kendalltau(first[common], second[common]).statistic
    cost = 0 if numpy.isnan(tau) else len(common) ** 2 * (1 - tau) / 2
    for column, members in zip((first, second), lists):
        alone = members - {*common}
        cost += sum(column[i] < column[j] for i in common for j in alone)
        cost += comb(len(alone), 2) / 2
    return 1 - 2 * cost / len(lists[0] | lists[1]) ** 2


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("k", [1, 2, 4, 7])
def test_equals_the_definition_with_earlier_tokens_first(k):
    first, second = random_pairs(150, (2, 12), seed=k)
    found = agreement(first, second, k)
    expected = [by_definition(a, b, min(k, len(a))) for a, b in zip(first, second)]
    assert found.value.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k, score", [(1, 1.0), (2, 0.875), (5, 0.8)])
def test_disjoint_lists_score_high(k, score):
    first = [*range(k, 0, -1)] + [0] * (19 - k)
    assert agreement([first], [first[::-1]]).value[0] == pytest.approx(score)


@pytest.mark.parametrize("k, score", [(1, 1.0), (2, 0.86), (3, 0.79), (5, 0.70)])
def test_independent_scores_average_about_what_was_found_before(k, score):
    assert mean_of_independent_scores(k) == pytest.approx(score, abs=0.015)


def test_independent_scores_with_two_non_zero_average_what_a_count_of_cases_gives():
    # Nothing in common, one token, both in the same or in the opposite order.
    none, one, both = comb(17, 2) / comb(19, 2), 2 * 17 / comb(19, 2), 1 / comb(19, 2)
    expected = none * 0.875 + one * (1 - 2 / 9) + both * (1 - 1) / 2
    assert mean_of_independent_scores(2) == pytest.approx(expected, abs=0.004)


def mean_of_independent_scores(k):
    generator = numpy.random.default_rng(k)
    sparse, dense = generator.random((2, 20_000, 19))
    sparse = generator.permuted(numpy.where(numpy.arange(19) < k, sparse, 0), axis=1)
    return agreement(sparse, dense).value.mean()


def test_a_column_of_zeros_has_no_value_with_non_zero():
    assert agreement([[0, 0]], [[1, 2]]).undefined.tolist() == ["no score but 0"]
