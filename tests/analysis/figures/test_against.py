"""Lines against a number: points and intervals where they belong."""

import numpy

from analysis.figures.against import Line, against

LINE = Line([-1.0, 0.0, 0.5], [0.3, 0.2, 0.1], [0.25, 0.1, 0.05], [0.4, 0.3, 0.15])


def test_points_and_intervals_are_those_given():
    (axes,) = against({"sst": {"gradient": LINE}}, "lambda", "tau").axes
    (container,) = axes.containers
    line, _, (bars,) = container.lines
    assert line.get_xdata().tolist() == LINE.places and line.get_ydata().tolist() == LINE.means
    ends = numpy.array([segment[:, 1] for segment in bars.get_segments()])
    assert numpy.allclose(ends, numpy.array([LINE.lows, LINE.highs]).T)


def test_a_line_looks_the_same_in_every_panel():
    first, second = against(
        {"sst": {"a": LINE, "b": LINE}, "imdb": {"b": LINE}}, "lambda", "tau"
    ).axes
    colours = [axes.containers[-1].lines[0].get_color() for axes in (first, second)]
    assert colours[0] == colours[1]
    assert [axes.get_title() for axes in (first, second)] == ["sst", "imdb"]
