"""Means and counts of the values there are; NaN is none."""

from typing import Tuple, Union

import numpy


def mean_of_known(values: numpy.ndarray, axis: Union[int, Tuple[int, ...]]) -> numpy.ndarray:
    """NaN, without a warning, where there is no value."""
    known = (~numpy.isnan(values)).sum(axis=axis)
    total = numpy.nansum(values, axis=axis)
    return numpy.divide(total, known, out=numpy.full(total.shape, numpy.nan), where=known > 0)


def texts_with_values(values: numpy.ndarray) -> numpy.ndarray:
    """Texts that at least one seed has a value for. Shape: (..., seeds, texts) -> (...)"""
    return (~numpy.isnan(values)).any(axis=-2).sum(axis=-1)
