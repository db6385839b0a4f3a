"""The sign-flip test, against all signs tried in a loop."""

import itertools

import numpy
import pytest

from analysis.statistics import significance
from analysis.statistics.significance import FEW_TEXTS, SignFlips

FLIPS = SignFlips()


def slow_sign_flip(differences):
    observed = abs(sum(differences))
    all_signs = itertools.product([1, -1], repeat=len(differences))
    flipped = [abs(sum(s * d for s, d in zip(signs, differences))) for signs in all_signs]
    return sum(value >= observed - 1e-9 for value in flipped) / len(flipped)


def all_sums(differences):
    """Of a row with one sign or the other for each, built up one text after the other."""
    sums = numpy.zeros(1)
    for difference in differences:
        sums = numpy.concatenate([sums + difference, sums - difference])
    return sums


def exact(differences):
    return (abs(all_sums(differences)) >= abs(sum(differences)) - 1e-9).mean()


def test_the_two_references_agree():
    differences = numpy.random.default_rng(0).normal(0.3, size=9)
    assert exact(differences) == slow_sign_flip(differences)


def test_with_few_texts_all_signs_are_tried():
    differences = numpy.random.default_rng(0).normal(0.3, size=(4, 7))
    expected = [slow_sign_flip(row) for row in differences]
    assert FLIPS.p_values(differences) == pytest.approx(expected)
    with_gaps = numpy.insert(differences, 3, numpy.nan, axis=1)
    assert FLIPS.p_values(with_gaps) == pytest.approx(expected)
    # Texts without a difference say nothing, and rows may have gaps of their own.
    padded = numpy.concatenate([numpy.zeros((4, 30)), differences], axis=1)
    padded[2, :10] = numpy.nan
    assert FLIPS.p_values(padded) == pytest.approx(expected)


def test_one_outlier_does_not_hide_that_all_differ_in_one_direction():
    differences = [10.0] + 12 * [0.1]
    assert FLIPS.p_values(numpy.array([differences])) == pytest.approx(2 / 2**13)
    assert slow_sign_flip(differences) == 2 / 2**13


@pytest.mark.parametrize("outlier", [0.0, 3.0, 10.0])
def test_with_more_texts_random_signs_are_near_all_signs(outlier):
    differences = numpy.random.default_rng(1).normal(0.15, size=(6, FEW_TEXTS + 2))
    differences[:, 0] += outlier
    expected = numpy.array([exact(row) for row in differences])
    found = FLIPS.p_values(differences)
    error = numpy.sqrt(expected * (1 - expected) / FLIPS.draws)
    assert (abs(found - expected) < 4 * error + 2 / FLIPS.draws).all()
    # The draws are what is tested, not a bound on them.
    assert (found > 1 / FLIPS.draws).any()


def test_no_p_value_is_0_and_those_beyond_all_draws_are_no_smaller_than_the_exact_one():
    outlier = numpy.array([[10.0] + 17 * [0.1]])
    assert FLIPS.p_values(outlier) == pytest.approx(1 / (FLIPS.draws + 1))
    clear = numpy.ones((1, 20)) + 0.1 * numpy.arange(20)
    (found,) = SignFlips(draws=999).p_values(clear)
    assert exact(clear[0]) < found < 1 / 1000


def test_where_there_is_no_difference_p_values_are_evenly_spread():
    differences = numpy.random.default_rng(2).exponential(size=(1000, 30))
    differences *= numpy.random.default_rng(3).choice([-1, 1], size=differences.shape)
    found = SignFlips(draws=999).p_values(differences)
    for level in (0.05, 0.2, 0.5):
        deviation = numpy.sqrt(level * (1 - level) / 1000)
        assert (found <= level).mean() == pytest.approx(level, abs=4 * deviation)


def test_a_p_value_does_not_depend_on_what_else_is_compared_nor_on_blocks(monkeypatch):
    differences = numpy.random.default_rng(4).normal(0.2, size=(5, 70))
    together = FLIPS.p_values(differences)
    assert FLIPS.p_values(differences[3:4]) == together[3]
    assert (SignFlips(seed=1).p_values(differences) != together).any()
    monkeypatch.setattr(significance, "BLOCK", 1000)
    assert (FLIPS.p_values(differences) == together).all()
    few = differences[:, :9]
    assert FLIPS.p_values(few) == pytest.approx([slow_sign_flip(row) for row in few])


def test_no_difference_is_p_1_and_no_text_is_no_test():
    assert FLIPS.p_values(numpy.zeros((1, 40))) == 1
    assert numpy.isnan(FLIPS.p_values(numpy.full((1, 4), numpy.nan))).all()
    assert FLIPS.p_values(numpy.empty((0, 4))).shape == (0,)
