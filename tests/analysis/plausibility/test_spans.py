"""F1 of spans against its definition; never more than 1, and the same in any position among others."""

import numpy
import pytest

from analysis.measures.scores import Scores
from analysis.plausibility.spans import DRAWS, iou_f1, spans_f1
from analysis.statistics.samples import text_keys
from tests.analysis.plausibility import slow
from tests.analysis.plausibility.test_orders import random_texts, together


def of_sets(guess, truth, length):
    chosen, marked = (
        numpy.array([position in positions for position in range(length)])
        for positions in (guess, truth)
    )
    (found,) = spans_f1(chosen, marked, Scores.of([numpy.zeros(length)]))
    return found


def test_spans_of_random_choices_are_judged_as_defined():
    random = numpy.random.default_rng(0)
    choices = [(random.random((2, 12)) < share) for share in (0.3, 0.5, 0.8) for _ in range(150)]
    chosen, marked = (numpy.concatenate(part) for part in zip(*choices))
    texts = Scores.of([numpy.zeros(12)] * len(choices))
    found = spans_f1(chosen, marked, texts)
    for value, (guess, truth) in zip(found, choices, strict=True):
        if not (guess.any() or truth.any()):
            continue
        if not (guess.any() and truth.any()):
            assert value == 0
            continue
        order = sorted(range(12), key=lambda position: not guess[position])
        assert value == pytest.approx(slow.iou_f1(order, truth, guess.sum()), abs=1e-12)


def test_two_halves_of_a_marked_span_are_not_both_right():
    # They touch, so that they are one span, which is the marked one.
    assert of_sets({1, 2, 3, 4}, {1, 2, 3, 4}, 6) == 1
    # Apart, neither is half of what either has.
    assert of_sets({1, 2, 4, 5}, {1, 2, 3, 4, 5}, 7) == 0
    # Half and no more is enough.
    assert of_sets({1, 2}, {1, 2, 3, 4}, 6) == 1
    assert of_sets({3, 4}, {1, 2, 3, 4}, 6) == 1
    assert of_sets({0, 1, 2, 3}, {2, 3}, 6) == 1
    assert of_sets({1}, {1, 2, 3}, 6) == 0
    # One right span of two, one of one.
    assert of_sets({0, 3, 4}, {3, 4}, 6) == pytest.approx(2 / 3)


def test_spans_end_with_their_text():
    texts = Scores.of([numpy.zeros(2), numpy.zeros(3)])
    chosen = numpy.array([0, 1, 1, 1, 0])
    assert spans_f1(chosen, numpy.array([0, 1, 1, 1, 1]), texts).tolist() == [1, 1]
    assert spans_f1(chosen, numpy.array([1, 0, 0, 0, 1]), texts).tolist() == [0, 0]


def test_a_choice_among_tied_tokens_is_left_to_chance():
    texts = random_texts(number=40, seed=4)
    scores, marked = together(texts)
    k = numpy.array([mark.sum() for _, mark in texts])
    keys = text_keys([str(number) for number in range(len(texts))])
    found = iou_f1(scores, marked, k, keys)
    assert iou_f1(scores, marked, k, keys).tolist() == found.tolist()
    errors = []
    for value, (text, mark), number in zip(found, texts, k, strict=True):
        expected = slow.expected(text, slow.iou_f1, mark, number)
        split = (text == sorted(text)[-number]).sum() > 1
        assert split or value == pytest.approx(expected, abs=1e-12)
        errors.append(value - expected)
    # A value between 0 and 1 deviates by .5 at most, its mean over the draws by a share of that.
    assert numpy.abs(errors).max() < 5 * 0.5 / DRAWS**0.5
    assert abs(numpy.mean(errors)) < 5 * 0.5 / (DRAWS * len(texts)) ** 0.5


def test_the_draws_of_a_text_are_its_own():
    texts = random_texts(number=10, seed=5, values=1)
    keys = text_keys([str(number) for number in range(10)])
    k = numpy.array([mark.sum() for _, mark in texts])
    scores, marked = together(texts)
    whole = iou_f1(scores, marked, k, keys)
    scores, marked = together(texts[4:5])
    assert iou_f1(scores, marked, k[4:5], keys[4:5])[0] == pytest.approx(whole[4], abs=1e-12)
