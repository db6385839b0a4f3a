"""Violins: groups stand where they belong, and few values are not made into a density."""

from itertools import pairwise

import numpy
import pytest

from analysis.figures import style
from analysis.figures.violins import Violins, violins

VALUES = numpy.random.default_rng(0).beta(2, 5, 200)


def drawn(groups, **options):
    return violins([Violins("one", groups)], "group", "value", **options).axes[0]


def bodies(axes):
    return [one for one in axes.collections if len(one.get_paths())]


def test_groups_of_few_values_are_drawn_one_by_one():
    axes = drawn({"a": {"many": VALUES, "few": VALUES[:4]}})
    assert len(bodies(axes)) == 1
    (dots,) = [line for line in axes.get_lines() if line.get_marker() == "."]
    assert dots.get_ydata().tolist() == VALUES[:4].tolist()


def test_a_violin_ends_where_its_values_do():
    (body,) = bodies(drawn({"a": {"many": VALUES}}))
    heights = body.get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(VALUES.min())
    assert heights.max() == pytest.approx(VALUES.max())


def test_numbers_of_values_stand_below_the_groups_without_nan():
    holes = numpy.concatenate([VALUES, [numpy.nan] * 3])
    axes = drawn({"a": {"x": holes, "y": VALUES[:0]}, "b": {"x": VALUES[:50]}})
    assert [label.get_text() for label in axes.get_xticklabels()] == ["x\n200 + 50", "y\n0 + 0"]


def test_long_names_do_not_reach_into_each_other():
    names = ["attention", "gradient", "gradient x attention", "random"]
    groups = {"a": dict.fromkeys(names, VALUES)}
    # Two panels: each is half as wide.
    figure = violins([Violins("one", groups), Violins("two", groups)], "order", "value")
    with style.applied():
        figure.canvas.draw()
    labels = figure.axes[0].get_xticklabels()
    boxes = [label.get_window_extent() for label in labels]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    # The numbers stand in the same line below all.
    assert {label.get_text().count("\n") for label in labels} == {2}
    assert all(label.get_text().endswith("\n200") for label in labels)


def test_series_of_a_group_stand_side_by_side():
    one, other = bodies(drawn({"a": {"x": VALUES}, "b": {"x": VALUES}}))
    right, left = (body.get_paths()[0].vertices[:, 0] for body in (one, other))
    assert right.max() < left.min()


def test_without_a_bound_the_largest_value_is_at_the_top():
    assert drawn({"a": {"x": VALUES / 10}}).get_ylim()[1] == pytest.approx(0.102 * VALUES.max())
    assert drawn({"a": {"x": VALUES}}, top=2.0).get_ylim()[1] == pytest.approx(2.04)
    assert drawn({"a": {"x": numpy.full(3, numpy.nan)}}).get_ylim()[1] > 0


def test_numbers_of_many_series_are_told_together():
    values = {"group": numpy.arange(10.0)}
    for series, shown in ((1, "10"), (2, "10 + 10"), (3, "30")):
        axes = drawn({f"series {number}": values for number in range(series)})
        assert axes.get_xticklabels()[0].get_text() == f"group\n{shown}"
