"""One style for all figures, and no state shared between them."""

import io
import subprocess
import sys

import matplotlib
import numpy

from analysis.figures import style
from tests.commands_run import PROJECT


def drawn():
    with style.applied():
        figure, axes = style.figure(style.SINGLE, 2.0)
        axes[0, 0].plot([0, 1], [0, 1], **style.series(0))
        file = io.BytesIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def test_the_same_figure_is_the_same_bytes():
    assert drawn() == drawn()


def test_text_is_drawn_as_paths():
    assert b"<text" not in drawn()


def test_what_is_outside_keeps_its_own_style():
    before = dict(matplotlib.rcParams)
    drawn()
    assert dict(matplotlib.rcParams) == before


def test_pyplot_is_not_needed():
    code = "import sys, analysis.commands; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=PROJECT).returncode == 0


def test_series_differ_in_more_than_colour():
    looks = [style.series(number) for number in range(len(style.COLOURS))]
    for key in ("color", "linestyle", "marker"):
        assert len({str(look[key]) for look in looks}) == len(looks)


def test_panels_fill_rows_and_the_rest_is_hidden():
    assert style.grid_of(2, widest=3) == (1, 2)
    assert style.grid_of(7, widest=3) == (3, 3)
    _, axes = style.figure(style.DOUBLE, 2.0, 2, 2)
    used = style.hide_unused(axes, 3)
    assert [one.get_visible() for one in axes.flat] == [True, True, True, False]
    assert numpy.array_equal(used, axes.flat[:3])


def test_a_name_is_in_the_legend_once():
    figure, axes = style.figure(style.DOUBLE, 2.0, 1, 2)
    for one, names in zip(axes.flat, (["a", "b"], ["b", "c"]), strict=True):
        for name in names:
            one.plot([0], [0], label=name)
    style.legend_below(figure, list(axes.flat), columns=3)
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b", "c"]


def test_a_title_keeps_to_its_panel():
    long = "sst, bilstm tanh softmax erasure training"
    for panels, lines in ((1, 2), (3, 2), (2, 1)):
        with style.applied():
            figure, _, used = style.panels(panels, 3, 0.5, 2.0)
            style.titled(used[0], long)
        assert used[0].get_title().count("\n") == lines - 1
        assert used[0].get_title().replace("\n", " ") == long
        figure.draw_without_rendering()
        width = used[0].title.get_window_extent().width
        assert width < figure.bbox.width / panels
    style.titled(used[0], "")
    assert used[0].get_title() == ""
