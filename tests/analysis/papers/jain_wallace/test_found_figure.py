"""What a search found, and what it did not, as shares of one whole."""

import numpy
import pytest

from analysis.papers.jain_wallace.other_attention import Found, found_histograms


def drawn(values, failures):
    return found_histograms([Found("one", values, failures)], "JSD", "none", 0.7).axes[0]


def test_bars_and_failures_are_shares_of_all_texts():
    axes = drawn({"a": numpy.array([0.1, 0.1, 0.6])}, {"a": 1})
    failures = [bar for bar in axes.patches if bar.get_hatch()]
    assert [bar.get_height() for bar in failures] == [0.25]
    # Left of 0, where no value can be.
    assert failures[0].get_x() + failures[0].get_width() < 0
    outline = next(patch for patch in axes.patches if patch.get_label() == "a")
    assert outline.get_xy()[:, 1].max() == pytest.approx(0.5)


def test_a_series_without_texts_is_no_error():
    axes = drawn({"a": numpy.array([0.2]), "b": numpy.empty(0)}, {"a": 0, "b": 0})
    assert axes.get_xlim()[1] == 0.7


def test_a_search_that_found_nothing_has_its_bar_alone():
    axes = drawn({"a": numpy.empty(0)}, {"a": 5})
    assert [bar.get_height() for bar in axes.patches if bar.get_hatch()] == [1.0]
