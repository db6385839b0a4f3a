"""Tables are read as rows whose fields are columns."""

from dataclasses import dataclass
from math import isnan, nan

import pandas
import pytest

from analysis.claims.table_rows import (
    TableRow,
    Tables,
    TypedTable,
    column,
    estimated,
    estimated_if_known,
    first_where,
    group_rows,
    paired,
)
from analysis.errors import AnalysisError
from analysis.written import Estimate


@dataclass(frozen=True, kw_only=True)
class Row(TableRow):
    max_attention: str
    lambda_: float
    mean: Estimate = estimated()
    drop: Estimate = estimated("drop", difference=True)
    all_texts: Estimate = estimated("all")
    f1: Estimate = estimated(mean="f1")
    position: Estimate | None = estimated_if_known("position")
    lost: Estimate | None = paired("accuracy lost")
    share: float = column("significant BH", 0.5)


TABLE = TypedTable("mine", Row)
WRITTEN = {
    "corpus": "sst",
    "max attention": "all",
    "lambda": 0.1,
    **{"mean": 1, "low": 0, "high": 2, "f1": 0.5},
    **{"drop": 5, "drop low": 4, "drop high": 6},
    **{"all mean": 3, "all low": 2, "all high": 4},
}


def read(**more):
    (row,) = TABLE.rows(pandas.DataFrame([{**WRITTEN, **more}]))
    return row


def test_a_field_is_the_column_of_its_name_or_made_of_several():
    row = read(**{"significant BH": 0.25, "role": "plain"})
    assert (row.corpus, row.max_attention, row.lambda_, row.role) == ("sst", "all", 0.1, "plain")
    assert (row.share, read().share) == (0.25, 0.5)
    assert row.mean == Estimate(1, 0, 2) and row.f1 == Estimate(0.5, 0, 2)
    assert row.drop == Estimate(5, 4, 6, difference=True)
    assert row.all_texts == Estimate(3, 2, 4)


def test_what_a_table_was_written_without_is_none():
    assert read().position is None and read().lost is None
    position = {"position": 0.5, "position low": nan, "position high": nan}
    assert read(**position).position.mean == 0.5 and isnan(read(**position).position.low)
    assert read(**{**position, "position": nan}).position is None
    # A difference without an interval was not taken on the same texts.
    lost = {"accuracy lost": 0.5, "accuracy lost low": 0.4, "accuracy lost high": 0.6}
    assert read(**lost).lost == Estimate(0.5, 0.4, 0.6, difference=True)
    assert read(**{**lost, "accuracy lost low": nan}).lost is None


def test_why_there_is_nothing_to_judge_goes_with_every_number():
    row = read(**{"nothing to judge": "attention is uniform"})
    assert row.nothing == row.mean.nothing == row.drop.nothing == "attention is uniform"
    # A csv has NaN where there is no reason.
    assert read(**{"nothing to judge": nan}).nothing == ""


@pytest.mark.parametrize("name", ["max attention", "drop low", "all mean"])
def test_a_column_that_has_to_be_there_is_named(name):
    table = pandas.DataFrame([WRITTEN]).drop(columns=name)
    with pytest.raises(AnalysisError, match=f"mine.csv: has no column '{name}'"):
        TABLE.rows(table)


def test_rows_are_chosen_and_grouped_by_their_fields():
    rows = [
        {**WRITTEN, "corpus": corpus, "lambda": lambda_} for corpus, lambda_ in ["a1", "b1", "a2"]
    ]
    tables = Tables({"mine": pandas.DataFrame(rows)})
    assert [row.lambda_ for row in tables.rows(TABLE, corpus="a")] == ["1", "2"]
    assert tables.rows(TypedTable("other", Row)) == []
    groups = [(key, len(alike)) for key, alike in group_rows(tables.rows(TABLE), "corpus")]
    assert groups == [(("a",), 2), (("b",), 1)]
    assert first_where(tables.rows(TABLE), lambda_="1").corpus == "a"
    assert first_where(tables.rows(TABLE), lambda_="3") is None
