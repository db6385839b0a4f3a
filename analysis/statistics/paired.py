"""
Comparisons on the same texts: of two pairs of methods in one model, or of one pair of methods in
two models. A text counts where both have a value.

The p-value is of the sign-flip permutation test on the texts' differences, averaged over seeds. It
takes the trained models as they are; what other seeds would give is in the interval only.
"""

from typing import Dict, List

import numpy

from analysis.statistics.intervals import Intervals, intervals, intervals_of_sums, mean_of_known
from analysis.statistics.significance import SignFlips


def paired_in_one_model(
    first: numpy.ndarray, second: numpy.ndarray, flips: SignFlips = SignFlips()
) -> Dict[str, numpy.ndarray]:
    """First less second, seed by seed. Shape of both: (comparisons, seeds, texts)"""
    difference = first - second
    both = ~numpy.isnan(difference)
    first, second = (numpy.where(both, values, numpy.nan) for values in (first, second))
    return _described(first, second, intervals(difference), flips)


def paired_across_models(
    first: numpy.ndarray, second: numpy.ndarray, flips: SignFlips = SignFlips()
) -> Dict[str, numpy.ndarray]:
    """
    First less second; the models' seeds have nothing to do with each other.
    Shape: (comparisons, seeds of the model, texts)
    """
    first, second = _where_both(first, second)
    return _described(first, second, intervals_of_sums([first, -second]), flips)


def difference_columns(
    name: str, first: numpy.ndarray, second: numpy.ndarray, one_model: bool = False
) -> Dict[str, float]:
    """
    First less second as columns of a row: `NAME`, `NAME low` and `NAME high`, and nothing else.
    Shape: (seeds of the model, texts)
    """
    first, second = first[None], second[None]
    if one_model:
        difference = intervals(first - second)
    else:
        first, second = _where_both(first, second)
        difference = intervals_of_sums([first, -second])
    ends = (difference.mean, difference.low, difference.high)
    return {f"{name}{end}": float(one[0]) for end, one in zip(("", " low", " high"), ends)}


def _where_both(*models: numpy.ndarray) -> List[numpy.ndarray]:
    """Without the texts that one of the models has no value for."""
    both = numpy.all([(~numpy.isnan(values)).any(axis=1) for values in models], axis=0)
    return [numpy.where(both[:, None], values, numpy.nan) for values in models]


def _described(
    first: numpy.ndarray, second: numpy.ndarray, interval: Intervals, flips: SignFlips
) -> Dict[str, numpy.ndarray]:
    """Of values that are there only where both models, or both pairs, have some."""
    first_mean, second_mean = (mean_of_known(values, (1, 2)) for values in (first, second))
    of_texts = mean_of_known(first, 1) - mean_of_known(second, 1)
    return {
        "first mean": first_mean,
        "second mean": second_mean,
        "difference": first_mean - second_mean,
        **interval.columns(),
        "p": flips.p_values(of_texts),
        "texts": (~numpy.isnan(of_texts)).sum(axis=1),
    }
