"""Figures that share a page: nothing of one reaches another, and nothing is loaded."""

import re
from xml.etree import ElementTree

import pytest

from analysis.errors import AnalysisError
from analysis.report.svg import inlined

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


def test_what_runs_or_loads_stays_behind():
    text = inlined(DRAWN, "one", "", "a.svg")
    outside = re.sub(r'xmlns(:\w+)?="[^"]*"', "", text)
    for word in ("alert", "onload", "http", "@import", "metadata", "javascript", "script"):
        assert word not in outside
    assert "data:image/png;base64,AA==" in text


def test_it_is_as_wide_as_it_was_drawn_and_says_what_it_shows():
    root = ElementTree.fromstring(inlined(DRAWN, "one", 'a "label" <b>', "a.svg"))
    assert root.get("width") == "96" and root.get("height") is None
    assert root.get("viewBox") == "0 0 72 36"
    assert (root.get("role"), root.get("aria-label")) == ("img", 'a "label" <b>')


@pytest.mark.parametrize("content", [b"<svg", b"", b"<html></html>"])
def test_what_is_no_figure_is_refused_by_its_name(content):
    with pytest.raises(AnalysisError, match="a.svg: not an svg figure"):
        inlined(content, "one", "", "a.svg")
