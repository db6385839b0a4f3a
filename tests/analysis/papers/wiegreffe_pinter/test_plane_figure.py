"""The plane of attention and output moved: curves, marks, intervals, labels."""

from itertools import combinations

import numpy

from analysis.papers.wiegreffe_pinter.adversary_plane import Plane, Points, planes

UNKNOWN = (numpy.nan, numpy.nan)
CURVE = Points([0.1, 0.5], [0.01, 0.2], [(0.05, 0.15), UNKNOWN], [(0, 0.02), UNKNOWN], ["0", "1"])


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_a_curve_joins_its_points_in_their_order_and_names_them():
    axes = planes([Plane("one", {"adversaries": CURVE})], "JSD", "TVD", 0.693).axes[0]
    line = lines(axes)["adversaries"]
    assert line.get_xydata().tolist() == [[0.1, 0.01], [0.5, 0.2]]
    assert line.get_linestyle() == "-"
    assert [text.get_text() for text in axes.texts] == ["0", "1"]


def test_marks_are_not_joined_and_look_the_same_in_every_panel():
    seeds, uniform = Points([0.2, 0.3], [0.1, 0.1]), Points([0.4], [0.1])
    first, second = planes(
        [
            Plane("one", {}, {"seeds": seeds, "uniform": uniform}),
            Plane("two", {}, {"uniform": uniform}),
        ],
        "JSD",
        "TVD",
        0.693,
    ).axes
    assert lines(first)["seeds"].get_linestyle() == "None"
    one, other = lines(first)["uniform"], lines(second)["uniform"]
    assert (one.get_marker(), one.get_color()) == (other.get_marker(), other.get_color())
    assert one.get_marker() != lines(first)["seeds"].get_marker()


def test_unknown_intervals_are_not_drawn():
    axes = planes([Plane("one", {"adversaries": CURVE})], "JSD", "TVD", 0.693).axes[0]
    across, up = (
        [segment for segment in one.get_segments() if numpy.ptp(segment) > 0]
        for one in axes.collections
    )
    widths = [numpy.ptp(segment[:, 0]) for segment in across]
    assert [round(width, 6) for width in widths] == [0.1, 0.0]
    assert [round(numpy.ptp(segment[:, 1]), 6) for segment in up] == [0.02, 0.0]


def test_what_lies_at_0_is_inside():
    nothing = Points([0.0], [0.0])
    axes = planes([Plane("one", {"a": nothing, "b": CURVE})], "JSD", "TVD", 0.693).axes[0]
    assert axes.get_ylim()[0] < 0 and axes.get_xlim()[0] < 0 < 0.693 < axes.get_xlim()[1]


def test_points_that_lie_on_each_other_share_a_label():
    curve = Points([0.1, 0.101, 0.102, 0.5], [0.1] * 4, labels=["0", "1", "2", "3"])
    axes = planes([Plane("one", {"adversaries": curve})], "JSD", "TVD", 0.693).axes[0]
    assert [text.get_text() for text in axes.texts] == ["0 to 2", "3"]


def test_labels_cover_neither_marks_nor_each_other():
    curve = Points([0.1, 0.2, 0.3], [0.1] * 3, [UNKNOWN] * 3, labels=["0.0001", "0.0002", "0.0003"])
    above = Points([0.12, 0.22, 0.32], [0.105] * 3)
    axes = planes([Plane("one", {"curve": curve}, {"above": above})], "JSD", "TVD", 0.693).axes[0]
    boxes = [text.get_window_extent() for text in axes.texts]
    marks = axes.transData.transform([*zip(above.across, above.up), *zip(curve.across, curve.up)])
    assert not any(box.contains(*mark) for box in boxes for mark in marks)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
