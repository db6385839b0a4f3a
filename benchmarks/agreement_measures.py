"""
Kendall's tau-b with p-values between every two of five methods, on a test set of the size of IMDb's:
all texts at once against a loop over scipy's function; and how its time grows with the length.
"""

import time
from dataclasses import replace
from itertools import combinations

import numpy
from scipy.stats import kendalltau

from analysis.measures import Measure, Scores
from benchmarks.harness import Result, compare

TEXTS, TOKENS, METHODS = 4356, 180, 5
# scipy's function is timed on one text in this many.
ONE_IN = 9
LONG = 8 * TOKENS


def random_columns(texts: int, tokens: int) -> numpy.ndarray:
    """Shape: (methods, texts, tokens)"""
    columns = numpy.random.default_rng(0).random((METHODS, texts, tokens))
    # One method is sparse, so has ties.
    columns[0] = numpy.maximum(columns[0] - 0.7, 0)
    return columns


def at_once(columns: numpy.ndarray) -> numpy.ndarray:
    """tau and p-value. Shape: (pairs of methods, 2, texts)"""
    measure = Measure.named("kendall")
    _, texts, tokens = columns.shape
    offsets, known = numpy.arange(texts + 1) * tokens, numpy.ones(texts, dtype=bool)
    # New ones each time: a column remembers its ranks.
    scores = [Scores(column.reshape(-1), offsets, known) for column in columns]
    found = [measure(*pair) for pair in combinations(scores, 2)]
    return numpy.array([[values.value, values.p_value] for values in found])


def one_by_one(columns: numpy.ndarray) -> numpy.ndarray:
    """The same."""
    return numpy.array(
        [
            numpy.transpose([kendalltau(*rows) for rows in zip(*pair)])
            for pair in combinations(columns, 2)
        ]
    )


def main() -> list[Result]:
    columns = random_columns(TEXTS, TOKENS)
    sample = columns[:, ::ONE_IN]
    difference = numpy.abs(at_once(sample) - one_by_one(sample)).max()
    against_scipy = compare(
        f"kendall, 10 pairs of {METHODS} methods, {TEXTS} texts of {TOKENS} tokens: scipy / ours",
        lambda: at_once(columns),
        lambda: one_by_one(sample),
        repeats=3,
        at_least=10,
        note=f"scipy on one text in {ONE_IN}, times {ONE_IN}; largest difference {difference:.0e}",
        clock=time.process_time,
    )
    long_columns = random_columns(TEXTS * TOKENS // LONG, LONG)
    expected, quadratic = numpy.log(TOKENS) / numpy.log(LONG), TOKENS / LONG
    growth = compare(
        f"kendall, as many tokens in all: texts of {TOKENS} / texts of {LONG}",
        lambda: at_once(long_columns),
        lambda: at_once(columns),
        at_least=0.5,
        note=f"n log n gives {expected:.2f}, n^2 {quadratic:.2f}",
        clock=time.process_time,
    )
    return [replace(against_scipy, other=against_scipy.other * TEXTS / sample.shape[1]), growth]


if __name__ == "__main__":
    print(*main(), sep="\n")
