"""Curves with bands: where their axis has its ticks."""

import numpy

from analysis.figures.bands import Band, BandPanel, bands


def ticks(number: int) -> list:
    positions = numpy.linspace(0, 1, number)
    curve = Band("lrp", positions, 1 - positions, 0.9 - positions, 1.1 - positions)
    (axes, *_) = bands([BandPanel("sst", [curve])], "share", "accuracy").axes
    return [float(tick) for tick in axes.get_xticks()]


def test_few_values_have_a_tick_each():
    assert ticks(5) == [0, 0.25, 0.5, 0.75, 1]


def test_a_curve_of_many_values_has_round_numbers():
    assert len(ticks(41)) < 12
