"""The shape of the curve of adversaries: what its number says, and what moves it."""

import numpy
import pytest

from analysis.papers.shared.divergence import Divergence
from analysis.papers.wiegreffe_pinter.plane_numbers import convexity, mean_height, summarised_curve
from analysis.statistics.intervals import student_interval
from analysis.statistics.samples import Sample

JSD = numpy.array([0.1, 0.3, 0.5, 0.7])


def test_on_the_chord_it_is_0_above_less_and_below_more():
    chord = 0.02 + 0.1 * JSD
    assert convexity(JSD, chord) == pytest.approx(0)
    bulge = numpy.array([0, 0.01, 0.01, 0])
    assert convexity(JSD, chord - bulge) > 0 > convexity(JSD, chord + bulge)


def test_a_cost_that_comes_at_the_very_end_is_near_1_and_one_at_once_near_minus_1():
    jsd = numpy.array([0.0, 0.999, 1.0])
    assert convexity(jsd, numpy.array([0.0, 0.0, 1.0])) == pytest.approx(0.999)
    jsd = numpy.array([0.0, 0.001, 1.0])
    assert convexity(jsd, numpy.array([0.0, 1.0, 1.0])) == pytest.approx(-0.999)


def test_units_and_the_order_of_the_points_do_not_matter():
    tvd = numpy.array([0.02, 0.03, 0.05, 0.2])
    expected = convexity(JSD, tvd)
    assert convexity(3 * JSD - 0.2, 7 * tvd + 1) == pytest.approx(expected)
    order = [2, 0, 3, 1]
    assert convexity(JSD[order], tvd[order]) == pytest.approx(expected)
    assert mean_height(JSD[order], tvd[order]) == pytest.approx(mean_height(JSD, tvd))


def test_the_area_is_that_of_trapezia():
    tvd = numpy.array([0.02, 0.03, 0.05, 0.2])
    area = sum((tvd[i] + tvd[i + 1]) / 2 * (JSD[i + 1] - JSD[i]) for i in range(3))
    assert mean_height(JSD, tvd) == pytest.approx(area / 0.6)
    scaled = (area - 0.02 * 0.6) / (0.6 * 0.18)
    assert convexity(JSD, tvd) == pytest.approx(1 - 2 * scaled)


def test_a_curve_that_does_not_rise_has_none():
    assert numpy.isnan(convexity(JSD, JSD[::-1]))
    assert numpy.isnan(convexity(numpy.full(3, 0.5), numpy.arange(3.0)))
    assert numpy.isnan(mean_height(numpy.full(3, 0.5), numpy.arange(3.0)))


def sample(mean, spread=0.01, texts=50):
    noise = numpy.random.default_rng(int(1000 * mean)).standard_normal((1, texts))
    value = mean + spread * (noise - noise.mean())
    return Sample(value, numpy.full(value.shape, "", dtype=object))


def moved(tvd, jsd):
    return Divergence(tvd, jsd, numpy.full(tvd.value.shape, "0", dtype=object))


def test_the_interval_is_around_the_value_and_wider_for_noisier_texts():
    tvd = (0.02, 0.03, 0.05, 0.2)
    rows = [
        summarised_curve(
            [moved(sample(t, spread), sample(j, spread)) for t, j in zip(tvd, JSD, strict=True)]
        )
        for spread in (0.01, 0.05)
    ]
    for row in rows:
        assert row["convexity"] == pytest.approx(float(convexity(JSD, numpy.array(tvd))))
        assert row["convexity low"] < row["convexity"] < row["convexity high"]
    widths = [row["convexity high"] - row["convexity low"] for row in rows]
    assert widths[0] < widths[1]


def test_without_a_value_there_is_no_interval():
    points = [moved(sample(0.2 - j / 10), sample(j)) for j in JSD]
    row = summarised_curve(points)
    assert numpy.isnan([row["convexity"], row["convexity low"], row["convexity high"]]).all()
    assert row["mean tvd low"] < row["mean tvd"] < row["mean tvd high"]


def test_other_bases_are_in_the_interval_where_there_are_three():
    tvd = (0.02, 0.03, 0.05, 0.2)
    curves = [
        [moved(sample(t + more * j, 0.01), sample(j, 0.01)) for t, j in zip(tvd, JSD, strict=True)]
        for more in (0.0, 0.1, 0.3)
    ]
    texts, both = summarised_curve(curves[0]), summarised_curve(curves[0], curves)
    values = [summarised_curve(one)["convexity"] for one in curves]
    half = student_interval(0, numpy.std(values, ddof=1), 3)[1]
    expected = numpy.hypot(texts["convexity high"] - texts["convexity"], half)
    assert both["convexity"] == texts["convexity"]
    assert both["convexity high"] == pytest.approx(both["convexity"] + expected)
    assert both["convexity low"] < texts["convexity low"]
    # Two bases say next to nothing about others.
    assert summarised_curve(curves[0], curves[:2]) == texts
