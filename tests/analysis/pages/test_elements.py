"""Tables of the page: the cells that people read, escaped, the long ones cut."""

import re

import pandas

from analysis.pages.elements import FIRST, LONG, table_html
from analysis.written import Estimate, Interval

MIXED = pandas.DataFrame(
    {
        "a|b": ["plain", "with | pipe", "back\\slash", "<b>"],
        "number": [0.5, float("nan"), -1.25, 3.0],
        "count": [1, 2, 3, 4],
    }
)


def test_cells_are_escaped_and_numbers_stand_to_the_right():
    text = table_html(MIXED, "here")
    assert "<td>&lt;b&gt;</td><td class=number>3.000</td>" in text
    assert text.count("<td class=number>") == 8 and text.count("<th scope=col>") == 1


def test_numbers_with_their_intervals_stand_to_the_right_as_well():
    table = pandas.DataFrame(
        {
            "mean": [Estimate(0.1, -0.2, 0.3), None],
            "interval": [Interval(-0.2, 0.3), Interval(float("nan"), float("nan"))],
            "words": ["0.1 [-0.2, 0.3]", "x"],
        }
    )
    text = table_html(table, "here")
    assert "<td class=number>0.100 [-0.200, 0.300]</td>" in text
    assert "<td class=number>[-0.200, 0.300]</td><td>0.1 [-0.2, 0.3]</td>" in text
    assert "<td class=number>-</td><td class=number>-</td><td>x</td>" in text


def test_a_long_table_shows_its_first_rows_until_asked_for_all():
    table = pandas.DataFrame({"name": [f"row {number}" for number in range(LONG + 1)]})
    text = table_html(table, "here")
    assert text.count("<tr class=more>") == LONG + 1 - FIRST
    assert f"Show all {LONG + 1} rows" in text
    assert "class=more" not in table_html(table.head(LONG), "here")


def test_a_column_with_one_word_only_is_said_once():
    table = pandas.DataFrame({"pair": list("abcd"), "group": "<all>", "mean": 0.5})
    text = table_html(table, "here")
    assert "In all rows: group: &lt;all&gt;." in text
    assert re.findall(r"<th scope=col[^>]*>(\w+)", text) == ["pair", "mean"]
    # Two rows that happen to be alike say nothing.
    assert "In all rows" not in table_html(table.head(2), "here")
    # A table is never emptied.
    alone = table_html(table[["group"]], "here")
    assert "In all rows" not in alone and alone.count("&lt;all&gt;") == 4


def test_a_table_without_rows_says_so():
    assert "The table has no rows." in table_html(MIXED.head(0), "here")
