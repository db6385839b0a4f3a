"""Figures that share a page: nothing of one reaches another, and nothing is loaded."""

import io
import re
from xml.etree import ElementTree

import pytest

from analysis.errors import AnalysisError
from analysis.figures import style
from analysis.pages.svg import ATTRIBUTES, ELEMENTS, SVG, XLINK, inlined
from tests.analysis.report.hostile_figures import FIGURES, HEAD

DRAWN = b"""<?xml version="1.0"?>
<!-- a comment -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
  width="72pt" height="36pt" viewBox="0 0 72 36" onload="alert(1)">
 <metadata>where it comes from</metadata>
 <script>alert(2)</script>
 <defs><style>*, .a{fill: red}</style><style>@import "x.css";</style>
  <clipPath id="clip"><path id="p"/></clipPath></defs>
 <g clip-path="url(#clip)" style="fill: url('#clip'); stroke: url(http://example.org/a)">
  <use xlink:href="#p"/><use href="http://example.org/b"/>
  <image href="data:image/png;base64,AA=="/><a xlink:href="javascript:alert(3)"/>
 </g>
</svg>"""


def test_ids_and_what_refers_to_them_begin_with_the_prefix():
    text = inlined(DRAWN, "one", "a label", "a.svg")
    ids = re.findall(r' id="([^"]+)"', text)
    assert ids == ["one", "one-clip", "one-p"]
    assert "url(#one-clip)" in text and '"#one-p"' in text
    assert text.count("url(#one-clip)") == 2


def test_rules_hold_for_the_figure_alone():
    assert "#one *, #one .a{fill: red}" in inlined(DRAWN, "one", "", "a.svg")


@pytest.mark.parametrize("attack", FIGURES)
def test_what_runs_or_loads_stays_behind(attack):
    text = inlined(FIGURES[attack], "one", "", "a.svg")
    assert "evil" not in text and "background" not in text
    for element in ElementTree.fromstring(text).iter():
        assert element.tag in ELEMENTS
        assert set(element.attrib) <= {*ATTRIBUTES, "role", "aria-label"}


def test_a_figure_of_ours_loses_nothing_that_is_drawn():
    with style.applied():
        figure, axes = style.figure(style.DOUBLE, 3, 1, 2)
        axes[0, 0].plot([0, 1], [0, 1], "o--", alpha=0.5, label="a line")
        axes[0, 0].bar([0, 1], [1, 2], hatch="//", label="bars")
        axes[0, 0].legend()
        axes[0, 1].imshow([[0, 1], [1, 0]])
        saved = io.BytesIO()
        figure.savefig(saved, format="svg")
    drawn = ElementTree.fromstring(saved.getvalue())
    drawn.remove(drawn.find(f"{SVG}metadata"))
    shown = ElementTree.fromstring(inlined(saved.getvalue(), "one", "", "a.svg"))
    every = list(zip(drawn.iter(), shown.iter(), strict=True))
    assert {kept.tag for _, kept in every} == set(ELEMENTS)
    for before, kept in every[1:]:
        assert before.tag == SVG + kept.tag
        names = {name.removeprefix(XLINK): value for name, value in before.items()}
        names.pop("type", None)
        assert set(kept.attrib) == set(names)
        assert kept.get("d") == names.get("d")
        renamed = kept.get("style", "").replace("#one-", "#")
        assert renamed == names.get("style", "").rstrip("; ")


def test_it_is_as_wide_as_it_was_drawn_and_says_what_it_shows():
    root = ElementTree.fromstring(inlined(DRAWN, "one", 'a "label" <b>', "a.svg"))
    assert root.get("width") == "96" and root.get("height") is None
    assert root.get("viewBox") == "0 0 72 36"
    assert (root.get("role"), root.get("aria-label")) == ("img", 'a "label" <b>')


DEEP = f"{HEAD}>{'<g>' * 5000}{'</g>' * 5000}</svg>".encode()


@pytest.mark.parametrize("content", [b"<svg", b"", b"<html></html>", DEEP])
def test_what_is_no_figure_is_rejected_by_its_name(content):
    with pytest.raises(AnalysisError, match="a.svg: not an svg figure"):
        inlined(content, "one", "", "a.svg")
