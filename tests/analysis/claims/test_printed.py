"""What was printed is compared with ours, number by number."""

import math
from math import nan

import numpy
import pandas
import pytest
from scipy.stats import t

from analysis.claims.printed import (
    COLUMNS,
    CORRELATION,
    WIDEST,
    Printed,
    Traced,
    compare_with_print,
    prediction,
    reproduction,
)
from analysis.claims.table_rows import Tables
from analysis.statistics.intervals import prediction_interval, student_interval
from analysis.written import Estimate

ROW = {"corpus": "sst", "encoder": "bilstm", "attention": "tanh", "importance": "gradient"}
ROW |= {"mean": 0.3, "low": 0.28, "high": 0.32, "published": 0.4, "role": "plain"}
ROW |= {"seeds": 5, "seed std": 0.02}
PRINTED = Printed("mine", "Table 2", "tau with {importance}", "published", "tau", paper="P 2020")


def rows_of(printed, *rows):
    return compare_with_print(Tables({"mine": pandas.DataFrame(rows)}, "a_study"), [printed])


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_a_prediction_interval_covers_one_more_training(seeds):
    draws = numpy.random.default_rng(0).normal(0.4, 0.05, (20_000, seeds + 1))
    ours, again = draws[:, :-1], draws[:, -1]
    ends = [
        prediction_interval(mean, std, seeds)
        for mean, std in zip(ours.mean(axis=1), ours.std(axis=1, ddof=1), strict=True)
    ]
    low, high = numpy.array(ends).T
    assert ((low <= again) & (again <= high)).mean() == pytest.approx(0.95, abs=0.006)
    # The interval of the mean is about something else, and the more seeds the less it covers.
    means = numpy.array([student_interval(row.mean(), row.std(ddof=1), seeds) for row in ours])
    assert ((means[:, 0] <= again) & (again <= means[:, 1])).mean() < 0.9


def test_a_prediction_interval_is_that_of_its_definition():
    half = t(4).ppf(0.975) * 0.02 * math.sqrt(1 + 1 / 5)
    found = prediction(Estimate(0.3, 0.28, 0.32), 5, 0.02)
    assert (found.low, found.high) == pytest.approx((0.3 - half, 0.3 + half))
    # Without a standard deviation it follows from Student's interval of the mean.
    ours = Estimate(0.3, *student_interval(0.3, 0.02, 5))
    assert prediction(ours, 5).high == pytest.approx(0.3 + half)


def test_the_prediction_interval_of_a_correlation_stays_within_its_bounds():
    found = prediction(Estimate(-0.9, -0.97, -0.7, correlation=True), 3)
    assert -1 < found.low < -0.97 and -0.7 < found.high < 1


@pytest.mark.parametrize("seeds", [1, 2, nan])
def test_nothing_is_told_by_fewer_than_three_seeds(seeds):
    assert prediction(Estimate(0.3, 0.29, 0.31), seeds, 0.01).interval.known is False
    (row,) = rows_of(PRINTED, {**ROW, "seeds": seeds, "published": 0.9}).to_dict("records")
    assert row["reproduced"] == "inconclusive"


@pytest.mark.parametrize(
    "published,said",
    [(0.3, "yes"), (0.375, "yes"), (0.376, "no, -0.076"), (0.224, "no, +0.076"), (0.225, "yes")],
)
def test_a_number_in_the_interval_and_its_rounding_is_reproduced(published, said):
    predicted = Estimate(0.3, 0.23, 0.37)
    assert reproduction(published, predicted, 0.005, 0.15) == said


def test_an_interval_that_would_hold_anything_says_nothing():
    assert reproduction(0.3, Estimate(0.3, 0.15, 0.45), 0.005, 0.15) == "yes"
    assert reproduction(0.3, Estimate(0.3, 0.14, 0.45), 0.005, 0.15) == "inconclusive"
    # What lies outside even that is away all the same.
    assert reproduction(-0.1, Estimate(0.3, 0.1, 0.5), 0.005, 0.15) == "no, +0.400"


def test_more_seeds_do_not_reproduce_less():
    """Of a printed run like ours, where the mean is off by one standard deviation."""
    said = [
        reproduction(0.32, prediction(Estimate(0.3, nan, nan), seeds, 0.02), 0, 1)
        for seeds in (3, 10, 100)
    ]
    assert said == ["yes"] * 3


def test_a_row_has_both_numbers_and_where_they_come_from():
    found = rows_of(PRINTED, ROW, {**ROW, "published": nan}, {**ROW, "mean": nan})
    (row,) = found.to_dict("records")
    assert list(found) == list(COLUMNS)
    assert (row["paper"], row["exhibit"], row["table"]) == ("P 2020", "Table 2", "mine")
    assert (row["model"], row["protocol"]) == ("bilstm tanh", "a_study")
    assert (row["quantity"], row["reproduced"]) == ("tau with gradient", "no, -0.100")
    assert row["difference"] == pytest.approx(-0.1) and row["seeds"] == 5
    (row,) = rows_of(PRINTED, {**ROW, "model": "mine", "protocol": "8 epochs"}).to_dict("records")
    assert (row["model"], row["protocol"]) == ("mine", "8 epochs")


def test_the_seeds_of_a_correlation_are_those_of_each_lambda():
    printed = Printed("mine", "T", "x", "published", CORRELATION)
    (row,) = rows_of(printed, {**ROW, "lambdas": 5, "n": 15}).to_dict("records")
    assert row["seeds"] == 3 and row["widest"] == WIDEST[CORRELATION]


def test_only_selected_rows_are_compared():
    chosen = {"published": "published", "kind": "tau"}
    assert len(rows_of(Printed("mine", "T", "x", **chosen, only={"role": "plain"}), ROW))
    assert rows_of(Printed("mine", "T", "x", **chosen, only={"role": "other"}), ROW).empty
    assert rows_of(Printed("other", "T", "x", **chosen), ROW).empty


def test_the_known_reason_of_a_number_follows_the_general_note():
    traced = (Traced({"corpus": "sst", "importance": "gradient"}, "it was the rate"),)
    printed = Printed("mine", "T", "x", "published", "tau", note="all differ", traced=traced)
    found = rows_of(printed, ROW, {**ROW, "importance": "leave-one-out"})
    assert found["note"].tolist() == ["all differ; it was the rate", "all differ"]
