"""The best value that two columns' scores can have in any order, against all orders there are."""

from itertools import permutations, product

import numpy
import pytest

from analysis.measures import Measure, Scores
from tests.analysis.measures.random_scores import random_pairs

BOUNDED = [
    "kendall",
    "spearman",
    "pearson",
    "weighted-tau",
    "rbo:p=0.8",
    "top-k-overlap:k=1",
    "top-k-overlap:k=0.5",
    "fagin:k=2",
    "fagin:k=non-zero",
    "fagin:k=all,penalty=0.2",
    "jsd",
    "tvd",
]


def patterns(tokens):
    """Every pattern of ties, from low to high; with zeros."""
    for steps in product((0, 1), repeat=tokens - 1):
        yield numpy.cumsum([0, *steps])


def in_all_orders(scores):
    return sorted(set(permutations(scores.tolist())))


def check(name, pairs):
    """One call for all orders of all pairs: the largest of each, or the least of a distance."""
    measure = Measure.named(name)
    orders = [in_all_orders(second) for _, second in pairs]
    firsts = [first for (first, _), of_pair in zip(pairs, orders) for _ in of_pair]
    every = measure(Scores.of(firsts), Scores.of([one for of_pair in orders for one in of_pair]))
    ends = numpy.cumsum([len(of_pair) for of_pair in orders])[:-1]
    best = numpy.min if measure.distance else numpy.max
    expected = [best(values) for values in numpy.split(every.value, ends)]
    found = measure.ceiling(*(Scores.of(column) for column in zip(*pairs)))
    assert found.value == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert numpy.isfinite(expected).sum() > len(pairs) / 2


@pytest.mark.parametrize("name", BOUNDED)
def test_it_is_the_best_of_all_orders_for_every_pattern_of_ties(name):
    check(name, [*product(patterns(4), repeat=2)])


@pytest.mark.parametrize("name", BOUNDED)
def test_it_is_the_best_of_all_orders_of_any_scores(name):
    first, second = random_pairs(30, (2, 5), seed=3)
    check(name, [(abs(one), abs(other)) for one, other in zip(first, second)])


def test_attention_with_zeros_bounds_tau_by_the_share_of_pairs_it_orders():
    attention, untied = [0.7, 0.3, 0, 0, 0, 0, 0, 0], numpy.arange(8.0)
    found = Measure.named("kendall").ceiling(Scores.of([attention]), Scores.of([untied]))
    # Of 28 pairs it ties the 15 of six zeros.
    assert found.value == pytest.approx([numpy.sqrt(13 / 28)])


@pytest.mark.parametrize("name", ["as-published", "fagin:penalty=0.6"])
def test_a_measure_whose_best_order_is_not_known_has_none(name):
    columns = Scores.of([[1.0, 2.0]]), Scores.of([[2.0, 1.0]])
    assert Measure.named(name).ceiling(*columns) is None


def test_where_there_is_no_value_there_is_no_ceiling():
    first, second = Scores.of([None, [1, 1], [1, 2]]), Scores.of([[1, 2], [1, 2], [2, 1]])
    found = Measure.named("kendall").ceiling(first, second)
    assert found.undefined.tolist() == ["no scores", "constant scores", ""]
    assert found.value[2] == 1
