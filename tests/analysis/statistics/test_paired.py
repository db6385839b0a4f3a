"""Comparisons on the same texts, against all signs tried and against plain loops."""

import itertools

import numpy
import pytest
from scipy.stats import ttest_1samp

from analysis.statistics.bootstrap import Bootstrap
from analysis.statistics.paired import paired_across_models, paired_in_one_model, sign_flip_p

BOOTSTRAP = Bootstrap(draws=500)


def slow_sign_flip(differences):
    observed = abs(sum(differences))
    all_signs = list(itertools.product([1, -1], repeat=len(differences)))
    flipped = [abs(sum(s * d for s, d in zip(signs, differences))) for signs in all_signs]
    return sum(value >= observed - 1e-9 for value in flipped) / len(flipped)


def test_with_few_texts_all_signs_are_tried():
    differences = numpy.random.default_rng(0).normal(0.3, size=(4, 7))
    expected = [slow_sign_flip(row) for row in differences]
    assert sign_flip_p(differences) == pytest.approx(expected)
    with_gaps = numpy.insert(differences, 3, numpy.nan, axis=1)
    assert sign_flip_p(with_gaps) == pytest.approx(expected)


def test_with_many_texts_the_normal_limit_is_near_all_signs():
    differences = numpy.random.default_rng(1).normal(0.2, size=(5, 14))
    expected = [slow_sign_flip(row) for row in differences]
    assert sign_flip_p(differences) == pytest.approx(expected, abs=0.03)
    many = numpy.random.default_rng(2).normal(0.1, size=(3, 500))
    assert sign_flip_p(many) == pytest.approx(ttest_1samp(many, 0, axis=1).pvalue, abs=0.01)


def test_no_difference_is_p_1_and_no_text_is_no_test():
    assert sign_flip_p(numpy.zeros((1, 40))) == 1
    assert numpy.isnan(sign_flip_p(numpy.full((1, 4), numpy.nan))).all()


def test_in_one_model_a_text_counts_where_both_have_a_value():
    first, second = numpy.random.default_rng(3).normal(size=(2, 1, 2, 30))
    first[0, 0, :5] = second[0, 1, 3:8] = numpy.nan
    found = paired_in_one_model(first, second, BOOTSTRAP)
    differences = [
        first[0, seed, text] - second[0, seed, text]
        for seed in range(2)
        for text in range(30)
        if not numpy.isnan(first[0, seed, text] + second[0, seed, text])
    ]
    assert found["difference"][0] == pytest.approx(numpy.mean(differences))
    # Texts 3 and 4 have a difference under no seed.
    assert found["texts"][0] == 28
    assert found["low"][0] < found["difference"][0] < found["high"][0]


def test_across_models_seeds_need_not_be_as_many_and_texts_are_joined():
    generator = numpy.random.default_rng(4)
    hard = generator.normal(size=100)
    first = (hard + 0.1 + 0.05 * generator.normal(size=(1, 100)))[None]
    second = (hard + 0.05 * generator.normal(size=(3, 100)))[None]
    first[0, 0, :10] = numpy.nan
    second[0, :, 95:] = numpy.nan
    found = paired_across_models(first, second, BOOTSTRAP)
    expected = first[0, 0, 10:95].mean() - second[0, :, 10:95].mean()
    assert found["difference"][0] == pytest.approx(expected)
    assert found["texts"][0] == 85
    # What is hard for both is no doubt about the difference.
    assert found["high"][0] - found["low"][0] < 0.1
    assert found["low"][0] < expected < found["high"][0] and found["p"][0] < 1e-6


def test_across_models_seeds_that_differ_are_doubt_that_texts_alone_do_not_show():
    texts = numpy.random.default_rng(5).normal(0, 0.1, size=200)
    first = numpy.array([[texts - 0.5, texts, texts + 0.8]])
    second = numpy.array([[texts - 0.6, texts, texts + 0.6]])
    found = paired_across_models(first, second, BOOTSTRAP)
    assert found["low"][0] < 0 < found["high"][0]
