"""Overlaps of tops against all ways of breaking ties."""

from itertools import pairwise, permutations, product

import numpy
import pytest

from analysis.measures import Measure, Scores
from tests.analysis.measures.random_scores import random_pairs


def agreement(name, first, second):
    return Measure.named(name)(Scores.of(first), Scores.of(second))


def rankings(scores):
    """Every order of the tokens from high to low."""
    return [
        order
        for order in permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]


def expected_over_ties(value, first, second):
    pairs = product(rankings(first), rankings(second))
    return numpy.mean([value(*pair) for pair in pairs])


def common(first, second, depth):
    return len({*first[:depth]} & {*second[:depth]})


def rbo(first, second, p):
    n = len(first)
    shares = [common(first, second, depth) / depth for depth in range(1, n + 1)]
    # What lies beyond the end continues with the share at the end, forever.
    shares += [shares[-1]] * 2000
    return sum((1 - p) * p**depth * share for depth, share in enumerate(shares))


def check(name, value, shortest=2):
    first, second = random_pairs(60, (shortest, 5), seed=2)
    found = agreement(name, first, second)
    defined = numpy.flatnonzero(found.undefined == "")
    assert len(defined) > 20
    assert set(found.undefined) == {"", "constant scores"}
    for index in defined:
        expected = expected_over_ties(value, first[index], second[index])
        assert found.value[index] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("p", [0.3, 0.9, 0.98])
def test_rbo_is_the_mean_over_all_ways_to_break_ties(p):
    check(f"rbo:p={p}", lambda first, second: rbo(first, second, p))


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k_overlap_is_the_mean_over_all_ways_to_break_ties(k):
    check(
        f"top-k-overlap:k={k}",
        lambda first, second: common(first, second, k) / k,
        shortest=k + 1,
    )


@pytest.mark.parametrize("k", [3, 4, 0.9, "all", "non-zero"])
def test_the_overlap_of_whole_texts_is_undefined(k):
    found = agreement(f"top-k-overlap:k={k}", [[1, 2, 3]], [[3, 1, 2]])
    assert found.undefined.tolist() == ["k is the whole text"] and numpy.isnan(found.value).all()


@pytest.mark.parametrize("p", [0.5, 0.9, 0.99])
def test_rbo_of_long_texts_loses_no_precision(p):
    generator = numpy.random.default_rng(0)
    first, second = generator.random((2, 3, 400))
    found = agreement(f"rbo:p={p}", first, second)
    for value, *columns in zip(found.value, first, second):
        expected = rbo(*(numpy.argsort(-column).tolist() for column in columns), p)
        assert value == pytest.approx(expected, abs=1e-8 if p == 0.99 else 1e-12)


@pytest.mark.parametrize("name", ["rbo", "top-k-overlap:k=2"])
def test_same_order_gives_1(name):
    generator = numpy.random.default_rng(0)
    rows = generator.random((20, 30))
    assert agreement(name, rows, rows**3).value == pytest.approx(1)


def test_rbo_minds_the_top_more_than_the_bottom():
    found = agreement("rbo", [[4, 3, 2, 1]] * 2, [[3, 4, 2, 1], [4, 3, 1, 2]])
    assert found.value[0] < found.value[1] < 1
