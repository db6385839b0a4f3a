"""
Comparisons on the same texts: of two pairs of methods in one model, or of one pair of methods in
two models. A text counts where both have a value.

The interval is the bootstrap's, over texts and seeds. The p-value is of the sign-flip permutation
test on the texts' differences, averaged over seeds: were there no difference, each text's could
as well have the other sign. It tests the mean that the table reports, which Wilcoxon's test does
not, and takes the trained models as they are; what other seeds would give is in the interval only.
"""

import itertools
from typing import Dict

import numpy
from scipy.stats import norm

from analysis.statistics.bootstrap import Bootstrap
from analysis.statistics.known import mean_of_known, texts_with_values

# Up to so many texts all signs are tried; beyond, the sum over random signs is near normal.
FEW_TEXTS = 12


def paired_in_one_model(
    first: numpy.ndarray, second: numpy.ndarray, bootstrap: Bootstrap
) -> Dict[str, numpy.ndarray]:
    """First less second, seed by seed. Shape of both: (comparisons, seeds, texts)"""
    difference = first - second
    both = ~numpy.isnan(difference)
    first, second = (numpy.where(both, values, numpy.nan) for values in (first, second))
    return _described(first, second, bootstrap.intervals(difference))


def paired_across_models(
    first: numpy.ndarray, second: numpy.ndarray, bootstrap: Bootstrap
) -> Dict[str, numpy.ndarray]:
    """
    First less second; the models' seeds have nothing to do with each other and are drawn
    independently. Shape: (comparisons, seeds of the model, texts)
    """
    both = ~(numpy.isnan(first).all(axis=1) | numpy.isnan(second).all(axis=1))[:, None]
    first, second = (numpy.where(both, values, numpy.nan) for values in (first, second))
    draws = bootstrap.means(first, stream=1) - bootstrap.means(second, stream=2)
    interval = bootstrap.between(draws)
    interval[texts_with_values(first) < 2] = numpy.nan
    return _described(first, second, interval)


def sign_flip_p(differences: numpy.ndarray) -> numpy.ndarray:
    """
    Two-sided; NaN is no text. Shape: (comparisons, texts) -> (comparisons,)
    """
    known = ~numpy.isnan(differences)
    changes = numpy.where(known, differences, 0.0)
    sums = numpy.abs(changes.sum(axis=1))
    spread = numpy.sqrt((changes**2).sum(axis=1))
    p_values = 2 * norm.sf(numpy.divide(sums, spread, out=numpy.zeros_like(sums), where=spread > 0))
    # A difference of 0 is the same with either sign.
    few = (changes != 0).sum(axis=1) <= FEW_TEXTS
    p_values[few] = [_exact_p(row[row != 0]) for row in changes[few]]
    return numpy.where(known.any(axis=1), p_values, numpy.nan)


def _exact_p(differences: numpy.ndarray) -> float:
    signs = numpy.array(list(itertools.product((1, -1), repeat=len(differences))))
    sums = numpy.abs(signs @ differences)
    # As large as the observed one, rounding aside.
    return float((sums >= sums[0] - 1e-12 * numpy.abs(differences).sum()).mean())


def _described(
    first: numpy.ndarray, second: numpy.ndarray, interval: numpy.ndarray
) -> Dict[str, numpy.ndarray]:
    """Of values that are there only where both models, or both pairs, have some."""
    first_mean, second_mean = (mean_of_known(values, (1, 2)) for values in (first, second))
    of_texts = mean_of_known(first, 1) - mean_of_known(second, 1)
    return {
        "first mean": first_mean,
        "second mean": second_mean,
        "difference": first_mean - second_mean,
        "low": interval[:, 0],
        "high": interval[:, 1],
        "p": sign_flip_p(of_texts),
        "texts": (~numpy.isnan(of_texts)).sum(axis=1),
    }
