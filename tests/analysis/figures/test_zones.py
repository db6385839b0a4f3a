"""Estimates on the side of the bounds that they are on."""

import pytest

from analysis.figures import style
from analysis.figures.zones import on_zones
from analysis.written import Estimate

ZONES = [(0.0, 0.5, "no"), (0.5, 1.0, "yes")]


def drawn(rows, zones=ZONES, marked="attention"):
    return on_zones(rows, zones, "position", marked).axes[0]


def marks(axes):
    """What is drawn of each row: position, row, colour and marker."""
    return [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_color(), line.get_marker())
        for line in axes.lines
        if line.get_marker() != "None"
    ]


def test_a_row_has_its_mean_and_its_interval_and_attention_stands_out():
    axes = drawn([("attention, delete", Estimate(0.2, 0.1, 0.3)), ("lrp", Estimate(0.8, 0.7, 0.9))])
    assert marks(axes) == [(0.2, 0, style.VERMILION, "s"), (0.8, 1, style.BLUE, "o")]
    assert (0.1, 0.3) in [tuple(line.get_xdata()) for line in axes.lines]
    assert [text.get_text() for text in axes.texts] == ["no", "yes"]


def test_where_all_rows_are_of_attention_all_stand_out():
    rows = [("uniform", Estimate(0.2, 0.1, 0.3)), ("attention-rollout", Estimate(0.8, 0.7, 0.9))]
    assert {colour for _, _, colour, _ in marks(drawn(rows))} == {style.VERMILION}


def test_what_is_off_the_axis_has_an_arrow_and_what_is_not_known_is_not_drawn():
    nan = float("nan")
    rows = [("a", Estimate(-3, -4, -2)), ("b", Estimate(7, 6, 8)), ("c", Estimate(nan, nan, nan))]
    axes = drawn(rows)
    assert [(position, marker) for position, _, _, marker in marks(axes)] == [
        (-0.5, "<"),
        (1.0, ">"),
    ]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b", "c"]


@pytest.mark.parametrize("bound, right", [(0.5, 1.0), (0.05, 0.2)])
def test_the_axis_ends_where_there_is_nothing_more_to_see(bound, right):
    axes = drawn([("a", Estimate(0.1, 0.05, 0.15))], [(0.0, bound, "no"), (bound, 1.0, "yes")])
    assert axes.get_xlim()[1] == pytest.approx(right * 1.04)
