"""A number with its interval is printed in one way, wherever it stands."""

import math

import pandas
import pytest

from analysis.formats import cell, markdown, numeric
from analysis.written import Estimate, Interval, estimates, interval_column, number

NAN = math.nan


@pytest.mark.parametrize(
    "mean,low,high,printed",
    [
        (0.2794, 0.2681, 0.29, "0.279 [0.268, 0.290]"),
        (-0.0001, -0.5, 1.25, "0.000 [-0.500, 1.250]"),
        (0.9, NAN, NAN, "0.900"),
        (0.9, 0.8, NAN, "0.900"),
        (NAN, 0.1, 0.2, "-"),
        (12.0, 11.0, 13.0, "12.000 [11.000, 13.000]"),
    ],
)
def test_the_one_form_has_three_digits_and_the_zero_before_the_point(mean, low, high, printed):
    estimate = Estimate(mean, low, high)
    assert str(estimate) == cell(estimate) == printed
    assert number(mean) == cell(mean) == printed.partition(" ")[0]


def test_an_interval_alone_has_the_same_form():
    assert str(Estimate(0.3, 0.25, 0.5).interval) == str(Interval(0.25, 0.5)) == "[0.250, 0.500]"
    assert str(Interval(NAN, 0.5)) == "-"


def test_estimates_are_read_from_the_columns_of_a_table():
    table = pandas.DataFrame(
        {
            **{"mean": [0.1], "low": [0.0], "high": [0.2]},
            **{"tvd": [0.3], "tvd low": [0.2], "tvd high": [0.4]},
            **{"random mean": [0.5], "random low": [0.4], "random high": [0.6]},
            "difference": [0.7],
        }
    )
    assert estimates(table) == [Estimate(0.1, 0.0, 0.2)]
    assert estimates(table, "tvd") == [Estimate(0.3, 0.2, 0.4)]
    assert estimates(table, "random") == [Estimate(0.5, 0.4, 0.6)]
    assert estimates(table, mean="difference") == [Estimate(0.7, 0.0, 0.2)]
    assert interval_column(table, "tvd") == [Interval(0.2, 0.4)] and interval_column(table) == [
        Interval(0.0, 0.2)
    ]


def test_a_column_of_estimates_is_one_of_numbers():
    table = pandas.DataFrame({"name": ["a", "b"], "mean": [Estimate(0.1, 0.0, 0.2), None]})
    assert numeric(table["mean"]) and not numeric(table["name"])
    assert markdown(table) == (
        "| name | mean |\n|---|---:|\n| a | 0.100 [0.000, 0.200] |\n| b | - |\n"
    )
