"""Marks on chance bands: each at its position, with its own band."""

import pytest
from matplotlib.patches import Rectangle

from analysis.papers.neely_schouten.top_k import Mark, on_chance_bands


def mark(panel="gradient", row="k = 3", series="predicted 0", mean=0.5, published=None):
    return Mark(panel, row, series, mean, (mean - 0.1, mean + 0.1), (0.3, 0.4), published)


def bands(axes):
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def test_every_mark_has_its_band_behind_it():
    marks = [mark(series="predicted 0"), mark(series="predicted 1"), mark(row="all")]
    (axes,) = on_chance_bands(marks, "agreement").axes
    assert [(band.get_x(), band.get_width()) for band in bands(axes)] == [
        (0.3, pytest.approx(0.1))
    ] * 3
    positions = [band.get_y() + band.get_height() / 2 for band in bands(axes)]
    dots = [line.get_ydata()[0] for line in axes.get_lines() if list(line.get_xdata()) == [0.5]]
    assert dots == pytest.approx(positions) and len(set(positions)) == 3


def test_rows_run_down_and_panels_to_the_right_as_they_come():
    marks = [mark(panel, row) for panel in ("b", "a") for row in ("second", "first")]
    figure = on_chance_bands(marks, "agreement")
    assert [axes.get_title() for axes in figure.axes] == ["b", "a"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["second", "first"]
    top, bottom = figure.axes[0].get_ylim()[::-1]
    assert top < 0 < 1 < bottom


@pytest.mark.parametrize("published", [None, 0.9])
def test_published_values_are_hollow_and_named_only_if_there_are_some(published):
    figure = on_chance_bands([mark(published=published)], "agreement")
    hollow = [line for line in figure.axes[0].get_lines() if line.get_markerfacecolor() == "none"]
    assert [list(line.get_xdata()) for line in hollow] == ([[0.9]] if published else [])
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert ("published" in names) == (published is not None)
