"""Dots on one axis, however many panels there are."""

from analysis.figures.dots import Dot, dots
from analysis.written import Estimate


def test_more_panels_than_stand_side_by_side_are_drawn_in_rows():
    marks = [
        Dot(f"model {number}", "lrp", "delete", Estimate(0.5, 0.4, 0.6)) for number in range(5)
    ]
    figure = dots(marks, "position", widest=3)
    used = [axes for axes in figure.axes if axes.get_visible() and axes.lines]
    assert len(used) == 5
    # Each column says what its axis is: below, or above a position that is not used.
    assert sum(bool(axes.get_xticklabels()) for axes in used) == 3
