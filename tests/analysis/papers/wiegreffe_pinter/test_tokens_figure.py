"""Tokens on the shade of their weight: on as many lines as it takes, each row on its own scale."""

import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle

from analysis.papers.wiegreffe_pinter.three_attentions import SHADES, Weighted, token_heatmaps


def text(tokens, **weights):
    return Weighted(tokens, weights, dict.fromkeys(weights, "about"))


def boxes(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]


def test_each_row_is_scaled_by_its_largest_weight():
    figure = token_heatmaps([text(["a", "b"], base=[0.1, 0.2], other=[0.0, 1.0])])
    colours = [box.get_facecolor() for box in boxes(figure)]
    assert colours == [to_rgba(SHADES(share)) for share in (0.5, 1.0, 0.0, 1.0)]
    words = [one.get_text() for one in figure.axes[0].texts]
    assert "about, largest 0.20" in words and "about, largest 1.00" in words


def test_a_long_text_goes_on_in_the_next_line_and_stays_on_the_page():
    figure = token_heatmaps([text(["word"] * 60, base=[1 / 60] * 60)])
    lefts = [box.get_x() for box in boxes(figure)]
    assert len({box.get_y() for box in boxes(figure)}) > 2
    assert lefts.count(lefts[0]) > 2
    assert max(box.get_x() + box.get_width() for box in boxes(figure)) <= 7 * 72


@pytest.mark.parametrize("token", ["$x$", "_", " ", "\\", "<unk>", "a$b", "a\nb", "\t"])
def test_tokens_may_be_anything(token, tmp_path):
    figure = token_heatmaps([text([token, "b"], base=[0.5, 0.5])])
    figure.savefig(tmp_path / "a.svg")


def test_weights_that_are_all_0_have_no_shade():
    figure = token_heatmaps([text(["a"], base=[0.0])])
    assert boxes(figure)[0].get_facecolor() == to_rgba(SHADES(0.0))
