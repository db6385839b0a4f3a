"""Lines against a number: points and intervals where they belong."""

import numpy

from analysis.figures.against import Line, against

LINE = Line([-1.0, 0.0, 0.5], [0.3, 0.2, 0.1], [0.25, 0.1, 0.05], [0.4, 0.3, 0.15])


def test_points_and_intervals_are_those_given():
    (axes,) = against({"sst": {"gradient": LINE}}, "lambda", "tau").axes
    (container,) = axes.containers
    line, _, (bars,) = container.lines
    assert line.get_xdata().tolist() == LINE.positions and line.get_ydata().tolist() == LINE.means
    ends = numpy.array([segment[:, 1] for segment in bars.get_segments()])
    assert numpy.allclose(ends, numpy.array([LINE.lows, LINE.highs]).T)


def test_a_line_looks_the_same_in_every_panel():
    first, second = against(
        {"sst": {"a": LINE, "b": LINE}, "imdb": {"b": LINE}}, "lambda", "tau"
    ).axes
    colours = [axes.containers[-1].lines[0].get_color() for axes in (first, second)]
    assert colours[0] == colours[1]
    assert [axes.get_title() for axes in (first, second)] == ["sst", "imdb"]


def ticks(positions):
    line = Line(positions, positions, positions, positions)
    (axes,) = against({"sst": {"a": line}}, "lambda", "tau", chance=0.0).axes
    return axes


def test_ticks_stand_at_the_data_and_are_written_where_there_is_room():
    axes = ticks([-1.0, 0.0, 0.01, 0.5, 0.98, 1.0])
    assert axes.get_xticks().tolist() == [-1.0, 0.0, 0.01, 0.5, 0.98, 1.0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["-1", "0", "", "0.5", "", "1"]


def test_chance_is_a_line_that_is_in_view():
    axes = ticks([0.3, 0.4])
    assert any(list(line.get_ydata()) == [0.0, 0.0] for line in axes.lines)
    assert axes.get_ylim()[0] <= 0
