"""Densities: what is drawn is what was given."""

import numpy
import pytest

from analysis.figures.densities import DensityPanel, densities, density

VALUES = numpy.random.default_rng(0).normal(0.2, 0.2, 300).clip(-1, 1)


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def test_a_density_sums_to_1():
    positions = numpy.linspace(-3, 3, 2001)
    assert numpy.trapezoid(density(VALUES, positions), positions) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5, 0.5]])
def test_values_without_spread_have_no_density(values):
    assert numpy.isnan(density(numpy.array(values), numpy.linspace(-1, 1, 5))).all()


def test_undefined_values_are_left_out():
    holes = numpy.concatenate([VALUES, [numpy.nan] * 50])
    with_holes, without = (
        densities([DensityPanel("", {"a": values})], "tau").axes[0] for values in (holes, VALUES)
    )
    one, other = (lines(axes)["a"].get_ydata() for axes in (with_holes, without))
    assert numpy.array_equal(one, other)


def test_a_series_looks_the_same_in_every_panel():
    panels = [DensityPanel("one", {"a": VALUES, "b": VALUES}), DensityPanel("two", {"b": VALUES})]
    first, second = densities(panels, "tau").axes
    assert lines(first)["b"].get_color() == lines(second)["b"].get_color()
    assert lines(first)["a"].get_color() != lines(first)["b"].get_color()


def test_nothing_is_cut_off_at_the_top():
    narrow = VALUES / 20
    axes = densities(
        [DensityPanel("", {"a": VALUES}), DensityPanel("", {"a": narrow})], "tau"
    ).axes[1]
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylim()[1] > numpy.nanmax(lines(axes)["a"].get_ydata())


def test_the_control_is_drawn_behind():
    axes = densities([DensityPanel("", {"a": VALUES}, control=-VALUES)], "tau").axes[0]
    assert lines(axes)["random scores"].get_zorder() < lines(axes)["a"].get_zorder()


def test_only_values_of_nothing_at_all_can_be_drawn():
    empty = numpy.full(3, numpy.nan)
    assert densities([DensityPanel("", {"a": empty}, control=empty)], "tau").axes
