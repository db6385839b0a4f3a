"""The properties that make `fagin` a top-k Kendall tau, and a count of its cost pair by pair."""

from itertools import combinations

import numpy
import pytest

from analysis.measures import Measure, Scores
from tests.analysis.measures.random_scores import random_pairs


def agreement(first, second, **options):
    text = ",".join(f"{name}={value}" for name, value in options.items())
    return Measure.named(f"fagin:{text}")(Scores.of(first), Scores.of(second))


def top_list(scores, k):
    cut = sorted(scores, reverse=True)[k - 1]
    return {token for token, score in enumerate(scores) if score >= cut}


def cost_of_pair(i, j, scores, lists, penalty):
    if not all(any(token in members for members in lists) for token in (i, j)):
        return 0
    # In the lists' own order: outside is below.
    signs = [
        numpy.sign((column[i] if i in members else -numpy.inf) - column[j])
        if {i, j} & members == {i, j}
        else (i in members) - (j in members)
        for column, members in zip(scores, lists)
    ]
    absent = any(not {i, j} & members for members in lists)
    if signs[0] * signs[1] < 0:
        return 1
    return penalty if absent or (signs[0] == 0) != (signs[1] == 0) else 0


def by_definition(first, second, k, penalty):
    lists = [top_list(first, k), top_list(second, k)]
    n = len(first)
    cost = sum(
        cost_of_pair(i, j, (first, second), lists, penalty) for i, j in combinations(range(n), 2)
    )
    # The worst untied lists of these lengths: the second begins where the first ends, and what
    # they have to share stands in opposite orders.
    a, b = map(len, lists)
    tokens = numpy.arange(n)
    worst = (
        (-tokens.astype(float), {*range(a)}),
        (tokens.astype(float), {*range(n - b, n)}),
    )
    columns, worst_lists = zip(*worst)
    largest = sum(
        cost_of_pair(i, j, columns, worst_lists, penalty) for i, j in combinations(range(n), 2)
    )
    return 1 - 2 * cost / largest


@pytest.mark.parametrize("penalty", [0, 0.5, 1])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8])
def test_equals_a_count_over_all_pairs(k, penalty):
    first, second = random_pairs(150, (2, 8), seed=k)
    found = agreement(first, second, k=k, penalty=penalty)
    defined = numpy.flatnonzero(found.undefined == "")
    assert len(defined) > 100
    for index in defined:
        scores = first[index], second[index]
        expected = by_definition(*scores, min(k, len(scores[0])), penalty)
        assert found.value[index] == pytest.approx(expected, abs=1e-12)
        assert -1 <= found.value[index] <= 1


def test_with_all_tokens_and_no_ties_is_kendalls_tau():
    generator = numpy.random.default_rng(0)
    first, second = ([generator.random(n) for n in range(2, 60)] for _ in range(2))
    tau = Measure.named("kendall")(Scores.of(first), Scores.of(second)).value
    assert agreement(first, second, k="all").value == pytest.approx(tau, abs=1e-12)


def test_with_all_tokens_and_ties_is_the_tau_of_emond_and_mason():
    first, second = random_pairs(100, (2, 15))
    found = agreement(first, second, k="all")
    for index in numpy.flatnonzero(found.undefined == ""):
        n = len(first[index])
        # 1 if ahead or tied, -1 if behind.
        matrices = [
            numpy.where(column[:, None] >= column[None, :], 1, -1) * (1 - numpy.eye(n))
            for column in (first[index], second[index])
        ]
        expected = (matrices[0] * matrices[1]).sum() / (n * (n - 1))
        assert found.value[index] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("k", [1, 3, 0.4, "all", "non-zero", "average-length"])
def test_same_order_gives_1_also_with_ties(k):
    rows, _ = random_pairs(100, (2, 20))
    found = agreement(rows, [numpy.exp(row / 10**9) - 0.9 for row in rows], k=k)
    assert set(found.value[found.undefined == ""]) == {1}


@pytest.mark.parametrize("k", [1, 2, 5])
def test_disjoint_lists_give_minus_1_tied_or_not(k):
    first = [[9] * k + [0] * (20 - k), [*range(30, 30 - k, -1)] + [0] * (20 - k)]
    second = [row[::-1] for row in first[::-1]]
    assert agreement(first, second, k=k).value.tolist() == [-1, -1]


@pytest.mark.parametrize("k", [1, 3, "all", "non-zero"])
def test_is_symmetric_and_blind_to_monotone_transforms(k):
    first, second = random_pairs(200, (2, 20))
    found = agreement(first, second, k=k).value
    assert numpy.array_equal(found, agreement(second, first, k=k).value, equal_nan=True)
    cubed = [row**3 for row in second]
    assert numpy.array_equal(found, agreement(first, cubed, k=k).value, equal_nan=True)


def test_random_lists_are_far_from_agreement():
    generator = numpy.random.default_rng(0)
    first, second = generator.random((2, 2000, 19))
    assert agreement(first, second, k=2).value.mean() < -0.7


def test_why_there_is_no_value():
    found = agreement([[0, 0], [1, 1]], [[0, 1], [1, 2]])
    assert found.undefined.tolist() == ["no score but 0", "constant scores"]
    assert numpy.isnan(found.value).all()
