"""Points with names and intervals."""

import numpy

from analysis.figures.scatter import Scatter, Spot, scatters, told

UNKNOWN = (numpy.nan, numpy.nan)
SPOTS = [
    Spot("sst", "bilstm", 0.1, 0.5, (0.05, 0.2), (0.4, 0.55)),
    Spot("imdb", "bilstm", -0.02, 0.6, UNKNOWN, UNKNOWN),
    Spot("imdb", "cnn", 0.3, 0.2, UNKNOWN, UNKNOWN),
]


def test_every_spot_has_its_name_and_a_series_its_look():
    figure = scatters([Scatter("use", "freedom", SPOTS)], top=0.693)
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.texts] == ["sst", "imdb", "imdb"]
    marks = [line for line in axes.lines if line.get_marker() not in ("None", "", "|", "_")]
    colours = {tuple(line.get_xdata()): line.get_color() for line in marks}
    assert colours[(0.1,)] == colours[(-0.02,)] != colours[(0.3,)]
    # Bars only where there is an interval.
    assert len(axes.containers) == 1
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["bilstm", "cnn"]


def test_intervals_reach_from_low_to_high():
    axes = scatters([Scatter("use", "freedom", SPOTS[:1])], top=0.693).axes[0]
    across, up = (one.get_segments()[0] for one in axes.containers[0][2])
    assert across[:, 0].round(6).tolist() == [0.05, 0.2]
    assert up[:, 1].round(6).tolist() == [0.4, 0.55]
    assert axes.get_ylim()[0] == 0


def test_one_name_for_all_spots_is_left_out():
    axes = scatters([Scatter("use", "freedom", SPOTS[1:])], top=0.693).axes[0]
    assert not axes.texts


def test_panels_can_have_the_same_ends():
    panels = [Scatter("use", "freedom", some, ends=(-1, 1)) for some in (SPOTS[:1], SPOTS[1:])]
    assert {axes.get_xlim() for axes in scatters(panels, top=0.693).axes} == {(-1, 1)}


def test_a_spot_alone_shows_no_relation():
    alone, several = (Scatter("use", "freedom", some) for some in (SPOTS[:1], SPOTS[:2]))
    assert told([alone, several]) == [several]


def test_with_shapes_colours_are_of_series_and_marks_of_shapes():
    spots = [
        Spot("", corpus, position, 0.5, UNKNOWN, UNKNOWN, shape)
        for position, (corpus, shape) in enumerate(
            [("sst", "soft"), ("imdb", "soft"), ("sst", "sparse")]
        )
    ]
    figure = scatters([Scatter("use", "freedom", spots)], top=0.693, bottom=0.4, bound=True)
    axes = figure.axes[0]
    drawn = {line.get_xdata()[0]: line for line in axes.lines if line.get_marker() in "osv^D"}
    assert drawn[0].get_color() == drawn[2].get_color() != drawn[1].get_color()
    assert drawn[0].get_marker() == drawn[1].get_marker() != drawn[2].get_marker()
    assert not axes.texts and axes.get_ylim()[0] == 0.4
    assert [0.693, 0.693] in [list(line.get_ydata()) for line in axes.lines]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["sst", "imdb", "soft", "sparse"]
