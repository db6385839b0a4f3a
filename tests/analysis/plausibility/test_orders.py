"""Measures of an order against their definitions, over every order that ties allow."""

import numpy
import pytest
from sklearn.metrics import average_precision_score

from analysis.measures.scores import Scores
from analysis.plausibility import orders
from tests.analysis.plausibility import slow


def random_texts(number=60, longest=6, values=3, seed=0):
    """Short texts with many ties, each with a marked token."""
    random = numpy.random.default_rng(seed)
    texts = []
    for _ in range(number):
        length = int(random.integers(1, longest + 1))
        marked = random.integers(0, 2, length)
        marked[random.integers(length)] = 1
        texts.append((random.integers(0, values, length).astype(float), marked))
    return texts


def together(texts):
    scores, marked = zip(*texts)
    return Scores.of(scores), numpy.concatenate(marked)


@pytest.mark.parametrize("name", ["average_precision", "auprc", "first_marked", "last_marked"])
def test_ties_are_in_every_order_alike(name):
    texts = random_texts()
    found = getattr(orders, name)(*together(texts))
    for value, (scores, marked) in zip(found, texts, strict=True):
        expected = slow.expected(scores, getattr(slow, name), marked)
        assert value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["token_f1", "precision_at"])
@pytest.mark.parametrize("k", [1, 2, 4, "marked"])
def test_measures_of_the_first_tokens(k, name):
    texts = random_texts(seed=1)
    scores, marked = together(texts)
    most = [len(text) for text, _ in texts]
    numbers = [sum(mark) if k == "marked" else min(k, n) for (_, mark), n in zip(texts, most)]
    found = getattr(orders, name)(scores, marked, numpy.array(numbers))
    for value, (text, mark), number in zip(found, texts, numbers, strict=True):
        expected = slow.expected(text, getattr(slow, name), mark, number)
        assert value == pytest.approx(expected, abs=1e-12)


def test_average_precision_without_ties_is_that_of_scikit_learn():
    random = numpy.random.default_rng(2)
    marked = (random.random(200) < 0.3).astype(int)
    scores = random.random(200)
    (found,) = orders.average_precision(Scores.of([scores]), marked)
    assert found == pytest.approx(average_precision_score(marked, scores), abs=1e-12)


def test_scores_that_say_nothing_are_not_rewarded():
    """Trapezoids over steps of tied tokens would give .55."""
    marked = numpy.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    constant = Scores.of([numpy.ones(10)])
    mean = numpy.mean([1 / position for position in range(1, 11)])
    assert orders.average_precision(constant, marked) == pytest.approx([mean])
    before = numpy.mean([1.0] + [0.0] * 9)
    assert orders.auprc(constant, marked) == pytest.approx([(mean + before) / 2])
    assert orders.first_marked(constant, marked) == pytest.approx([5.5])


def test_where_the_tokens_stand_does_not_matter():
    texts = random_texts(seed=3)
    shuffled = [(text[::-1].copy(), mark[::-1].copy()) for text, mark in texts]
    for measure in (orders.average_precision, orders.auprc, orders.first_marked):
        assert measure(*together(texts)) == pytest.approx(measure(*together(shuffled)))


def test_a_share_of_a_text_is_one_token_at_least_and_rounded_half_up():
    lengths = numpy.array([1, 4, 5, 14, 15, 25, 40])
    assert orders.top_share(lengths, 0.1).tolist() == [1, 1, 1, 1, 2, 3, 4]


def test_mass_is_the_share_of_the_sizes_of_scores_that_is_marked():
    scores = Scores.of([[1.0, -3.0, 0.0, 4.0], [0.0, 0.0, 0.0], [2.0]])
    marked = numpy.array([0, 1, 1, 0, 1, 0, 0, 1])
    # Scores that are all 0 have their mass everywhere.
    assert orders.mass(scores, marked) == pytest.approx([3 / 8, 1 / 3, 1])
