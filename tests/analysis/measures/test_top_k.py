"""The rules for k."""

import numpy
import pytest

from analysis.measures import Measure, Scores
from analysis.measures.overlap import TopK
from attention_explain.errors import InputError

FIRST = Scores.of([[1, 0, 2, 0], numpy.ones(10), [0, 0], numpy.ones(30)])
SECOND = Scores.of([[1, 1, 1, 0], numpy.arange(10), [1, 2], numpy.ones(30)])


@pytest.mark.parametrize(
    "k, sizes",
    [
        (3, [3, 3, 2, 3]),
        (0.1, [1, 1, 1, 3]),
        (0.5, [2, 5, 1, 15]),
        (0.51, [3, 6, 2, 16]),
        ("all", [4, 10, 2, 30]),
        ("average-length", [4, 10, 2, 12]),
        ("non-zero", [2, 9, 0, 30]),
    ],
)
def test_sizes(k, sizes):
    assert TopK(k).sizes(FIRST, SECOND).tolist() == sizes


@pytest.mark.parametrize("name", ["fagin", "as-published", "top-k-overlap"])
@pytest.mark.parametrize("k", ["0", "-1", "1.5", "nan", "some", "0.0", ""])
def test_other_values_are_rejected(name, k):
    with pytest.raises(InputError, match=f"'{name}:k={k}': k has to be a whole number"):
        Measure.named(f"{name}:k={k}")
