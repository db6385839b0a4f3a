"""What was printed is compared with ours, number by number."""

from math import nan

import pandas
import pytest

from analysis.claims.printed import COLUMNS, Printed, Traced, compare_with_print, reproduction
from analysis.claims.table_rows import Tables

ROW = {"corpus": "sst", "encoder": "bilstm", "attention": "tanh", "importance": "gradient"}
ROW |= {"mean": 0.3, "low": 0.28, "high": 0.32, "published": 0.4, "role": "plain"}
PRINTED = Printed("mine", "Table 2", "tau with {importance}", "published", 0.05, paper="P 2020")


def rows_of(printed, *rows):
    return compare_with_print(Tables({"mine": pandas.DataFrame(rows)}, "a_study"), [printed])


@pytest.mark.parametrize(
    "published,said",
    [(0.3, "yes"), (0.37, "yes"), (0.371, "no, -0.071"), (0.22, "no, +0.080"), (0.23, "yes")],
)
def test_a_number_in_the_widened_interval_is_reproduced(published, said):
    assert reproduction(published, 0.3, 0.28, 0.32, 0.05) == said


def test_without_an_interval_the_tolerance_decides():
    assert reproduction(0.34, 0.3, nan, nan, 0.05) == "yes"
    assert reproduction(0.36, 0.3, nan, nan, 0.05) == "no, -0.060"


def test_an_interval_that_would_hold_anything_says_nothing():
    assert reproduction(0.3, 0.3, 0.2, 0.4, 0.05) == "yes"
    assert reproduction(0.3, 0.3, 0.19, 0.4, 0.05) == "inconclusive"
    # What lies outside even that is away all the same; where only rounding is tolerated an accuracy's is.
    assert reproduction(-0.1, 0.3, 0.1, 0.5, 0.05) == "no, +0.400"
    assert reproduction(0.3, 0.3, 0.27, 0.33, 0.005) == "yes"


def test_a_row_has_both_numbers_and_where_they_come_from():
    found = rows_of(PRINTED, ROW, {**ROW, "published": nan}, {**ROW, "mean": nan})
    (row,) = found.to_dict("records")
    assert list(found) == list(COLUMNS)
    assert (row["paper"], row["exhibit"], row["table"]) == ("P 2020", "Table 2", "mine")
    assert (row["model"], row["protocol"]) == ("bilstm tanh", "a_study")
    assert (row["quantity"], row["reproduced"]) == ("tau with gradient", "no, -0.100")
    assert row["difference"] == pytest.approx(-0.1)
    (row,) = rows_of(PRINTED, {**ROW, "model": "mine", "protocol": "8 epochs"}).to_dict("records")
    assert (row["model"], row["protocol"]) == ("mine", "8 epochs")


def test_only_selected_rows_are_compared():
    assert len(rows_of(Printed("mine", "T", "x", "published", 0.1, only={"role": "plain"}), ROW))
    assert rows_of(Printed("mine", "T", "x", "published", 0.1, only={"role": "other"}), ROW).empty
    assert rows_of(Printed("other", "T", "x", "published", 0.1), ROW).empty


def test_the_known_reason_of_a_number_follows_the_general_note():
    traced = (Traced({"corpus": "sst", "importance": "gradient"}, "it was the rate"),)
    printed = Printed("mine", "T", "x", "published", 0.1, note="all differ", traced=traced)
    found = rows_of(printed, ROW, {**ROW, "importance": "leave-one-out"})
    assert found["note"].tolist() == ["all differ; it was the rate", "all differ"]
