"""Figures are small, and look as before."""

import io

from matplotlib.figure import Figure

from analysis.figure_files import rounded

GLYPH = b'<path id="DejaVuSans-44" d="M 10.123456 -0.001 \nL 2 3.14159 \nz\n" transform="scale(0.015625)"/>'
USED = b'<use xlink:href="#DejaVuSans-44" transform="translate(61.28125 0)"/>'


def test_coordinates_have_two_digits_and_scales_all_of_theirs():
    assert b'd="M 10.12 0 L 2 3.14 z"' in rounded(GLYPH)
    assert b"scale(0.015625)" in rounded(GLYPH) and b"translate(61.28 0)" in rounded(USED)


def test_letters_keep_their_definitions_under_short_names():
    assert b'id="l0"' in rounded(GLYPH + USED) and b'href="#l0"' in rounded(GLYPH + USED)


def test_what_is_drawn_is_still_there():
    figure = Figure()
    figure.subplots().plot([0, 1, 2], [0.123456789, 0.5, 0.2], label="a line")
    figure.savefig(path := io.BytesIO(), format="svg")
    before, after = path.getvalue(), rounded(path.getvalue())
    assert before.count(b"<path") == after.count(b"<path")
    assert before.count(b"<use") == after.count(b"<use")
    assert b"Matplotlib" not in after and len(after) < 0.8 * len(before)
