"""All methods on one scale, as HTML."""

import re
from dataclasses import replace

import pytest

from analysis.verdict.block import dot_plot, kept_on_a_phone
from analysis.verdict.ranking import RankedMethod
from analysis.written import Estimate
from attention_explain.costs import Passes


def method(name, mean, low=None, high=None):
    low, high = (mean - 0.1 if low is None else low), (mean + 0.1 if high is None else high)
    return RankedMethod(name, Estimate(mean, low, high), Passes(1, 0, 0, 0), 1)


def test_dots_and_intervals_stand_where_the_axis_says():
    html = dot_plot([method("best", 1.0, 0.5, 1.3), method("attention", 0.25)], "best", "all")
    zero, half, one = (float(each) for each in re.findall(r"<i style=left:([\d.]+)%>", html))
    assert one - half == pytest.approx(half - zero, abs=0.2) and 0 < zero < one < 100
    best, attention = (float(each) for each in re.findall(r"class=dot style=left:([\d.]+)%", html))
    assert best == one and attention == pytest.approx((zero + half) / 2, abs=0.2)
    (start, width), (_, other) = re.findall(r'style="left:([\d.]+)%;width:([\d.]+)%', html)
    # What is above the best is not drawn.
    assert float(start) == half and float(start) + float(width) == pytest.approx(one, abs=0.2)
    assert float(other) == pytest.approx(0.2 * (one - zero), abs=0.2)
    assert '<b title="0.250 [0.150, 0.350]">0.250</b>' in html
    assert "<input" not in html and "gap" not in html


def test_what_is_far_below_chance_is_an_arrow_and_without_interval_there_is_none():
    html = dot_plot([method("a", -0.9), method("b", 0.5, float("nan"), float("nan"))], None, "all")
    assert html.count("&#9664;") == 1 and html.count("class=interval") == 1


def test_names_are_escaped():
    assert "<script>" not in dot_plot([method("<script>", 0.5)], "<script>", "all")


def test_a_phone_keeps_the_best_the_recommended_one_and_what_is_around_attention():
    few = [f"m{index}" for index in range(8)] + ["attention"]
    assert kept_on_a_phone(few, "m5") == set(few)
    many = [f"m{index}" for index in range(20)]
    many[12] = "attention"
    kept = kept_on_a_phone(many, "m7")
    assert [each for each in many if each in kept] == [
        "m0", "m1", "m2", "m7", "m11", "attention", "m13", "m19",
    ]  # fmt: skip
    assert kept_on_a_phone(many, None) == kept - {"m7"}
    html = dot_plot([method(name, 0.5) for name in many], "m7", "all")
    assert re.findall(r"class=gap>(\d+) more", html) == ["4", "3", "5"]
    assert html.count('class="between"') == 12 and "Show all 20 methods" in html


def test_the_direction_stands_next_to_the_score():
    signed = replace(
        method("lrp", 0.9), signed=True, direction=Estimate(0.8, 0.7, 0.9), says_direction=True
    )
    unsure = replace(signed, says_direction=False)
    not_measured = replace(method("gradient", 0.5), signed=True)
    html = dot_plot([signed, unsure, not_measured, method("attention", 0.4)], "lrp", "all")
    assert html.count('<b title="0.800 [0.700, 0.900]">&#8597; 0.800</b>') == 1
    assert html.count('<b title="0.800 [0.700, 0.900]">0.800</b>') == 1
    assert html.count("<b class=unsigned>none</b>") == 1
    assert html.count("<b class=unsigned>-</b>") == 1
