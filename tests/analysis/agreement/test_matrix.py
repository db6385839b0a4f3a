"""Every two methods once: who stands next to whom, and what is written where."""

import itertools

import numpy
import pandas
import pytest

from analysis.agreement.entries import agreement_matrix, clustered


def table(agreements):
    """Of {(first, second): mean}."""
    return pandas.DataFrame(
        [
            {
                "first": first,
                "second": second,
                "mean": mean,
                "low": mean - 0.1,
                "high": mean + 0.1,
                "chance": abs(mean) < 0.1,
            }
            for (first, second), mean in agreements.items()
        ]
    )


# a with c, and b with d.
TWO_AND_TWO = {
    ("a", "b"): 0.0,
    ("a", "c"): 0.9,
    ("a", "d"): 0.1,
    ("b", "c"): -0.2,
    ("b", "d"): 0.8,
    ("c", "d"): 0.05,
}


def test_methods_that_agree_stand_side_by_side():
    order = "".join(clustered(table(TWO_AND_TWO)))
    assert {order[:2], order[2:]} in [
        {one, other} for one in ("ac", "ca") for other in ("bd", "db")
    ]


def test_by_a_distance_those_with_the_least_stand_side_by_side():
    distances = {pair: 1 - mean for pair, mean in TWO_AND_TWO.items()}
    assert clustered(table(distances), distance=True) == clustered(table(TWO_AND_TWO))


def test_methods_of_which_some_are_not_compared_stay_in_order():
    some = dict(itertools.islice(TWO_AND_TWO.items(), 4))
    assert clustered(table(some)) == ["a", "b", "c", "d"]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_every_cell_says_mean_interval_and_chance_once():
    written = texts(agreement_matrix(table(TWO_AND_TWO), "tau"))
    assert written.count("0.90") == written.count("[0.80, 1.00]") == 1
    # Two of the means are within .1 of 0, .1 itself is not.
    assert written.count("chance") == 2
    assert "-0.00" not in written


def test_colours_are_centred_at_0():
    image = agreement_matrix(table(TWO_AND_TWO), "tau").axes[0].collections[0]
    assert (image.norm.vmin, image.norm.vmax) == (-1, 1)
    assert numpy.allclose(image.cmap(image.norm(0.0))[:3], 0xF7 / 0xFF, atol=0.01)
    distances = agreement_matrix(
        table({("a", "b"): 0.2, ("a", "c"): 0.4, ("b", "c"): 0.3}), "", True
    )
    image = distances.axes[0].collections[0]
    assert (image.norm.vmin, image.norm.vmax) == pytest.approx((-0.4, 0.4))


def test_pairs_that_were_not_compared_are_blank():
    some = dict(itertools.islice(TWO_AND_TWO.items(), 4))
    figure = agreement_matrix(table(some), "tau")
    means = numpy.ma.filled(figure.axes[0].collections[0].get_array(), numpy.nan)
    # Four methods, four of six pairs.
    assert (~numpy.isnan(means)).sum() == 4
    assert len([text for text in texts(figure) if text.startswith("[")]) == 4


def test_shades_are_scaled_where_ties_hold_means_down_and_what_is_reachable_is_written():
    bounded = table({("a", "b"): 0.2, ("a", "c"): 0.4, ("b", "c"): 0.3})
    bounded = bounded.assign(ceiling=[0.21, 1.0, 0.999], scaled=[0.95, 0.4, 0.3])
    figure = agreement_matrix(bounded, "scaled", by_scaled=True)
    shades = numpy.ma.filled(figure.axes[0].collections[0].get_array(), numpy.nan)
    assert sorted(shades[~numpy.isnan(shades)]) == [0.3, 0.4, 0.95]
    written = texts(figure)
    assert written.count("best 0.21") == 1 and "best 1.00" not in written
    assert written.count("0.20") == 1
    far = bounded.assign(scaled=[0.9, 0.1, 0.2])
    assert clustered(far, column="scaled").index("c") != 1 != clustered(far).index("a")
