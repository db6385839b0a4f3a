"""The sentence on chance says what the numbers say, whichever way they point."""

import numpy
import pandas
import pytest

from analysis.papers.neely_schouten.top_k import compare_with_chance, relative_to_chance


def rows(as_published, fagin, k="non-zero", published=numpy.nan):
    """Rows of intervals from `low` to `high`; the chance band is from .7 to .8."""
    return pandas.DataFrame(
        [
            {
                "k": k,
                "measure": measure,
                "mean": (low + high) / 2,
                "low": low,
                "high": high,
                "chance low": 0.7,
                "chance high": 0.8,
                "random mean": 0.75,
                "published": published if measure == "as-published" else numpy.nan,
            }
            for measure, intervals in (("as-published", as_published), ("fagin", fagin))
            for low, high in intervals
        ]
    )


INSIDE, ABOVE, BELOW = (0.72, 0.78), (0.85, 0.95), (0.1, 0.2)


def test_what_overlaps_the_band_is_inside():
    touching = [(0.5, 0.7), (0.8, 0.9), (0.6, 0.69), (0.81, 0.9)]
    found = relative_to_chance(rows(touching, []))
    assert found.tolist() == ["inside", "inside", "below", "above"]


def test_a_headline_inside_the_band_is_called_so():
    text = compare_with_chance(rows([INSIDE, INSIDE], [ABOVE, ABOVE]))
    assert text.startswith(
        "Scored as published, agreement at k = non-zero is inside the chance band in all 2 "
        "comparisons (mean 0.750, random scores 0.750)"
    )
    assert "as Fagin et al. define it, agreement at k = non-zero is above the chance band" in text


def test_a_headline_above_the_band_is_called_so():
    text = compare_with_chance(rows([ABOVE, ABOVE], [INSIDE, INSIDE]))
    assert (
        "Scored as published, agreement at k = non-zero is above the chance band in all 2" in text
    )
    assert "define it, agreement at k = non-zero is inside the chance band in all 2" in text


def test_a_mixed_picture_is_counted():
    text = compare_with_chance(rows([ABOVE, INSIDE, INSIDE, BELOW], [BELOW]))
    assert "above the chance band in 1 of 4 comparisons, inside it in 2 and below it in 1" in text


@pytest.mark.parametrize("value, said", [(0.75, "none lies"), (0.9, "2 lie"), (numpy.nan, None)])
def test_published_values_are_compared_with_the_same_band(value, said):
    text = compare_with_chance(rows([INSIDE, INSIDE], [INSIDE], published=value))
    assert (said is None) == ("published values" not in text)
    assert said is None or f"Of 2 published values {said} above that band." in text


def test_only_sparse_attention_has_the_headline():
    both = pandas.concat([rows([INSIDE], [INSIDE]), rows([ABOVE], [ABOVE], k="all")])
    assert "inside the chance band in the only comparison" in compare_with_chance(both)
    assert "on the top k is above" in compare_with_chance(rows([ABOVE], [ABOVE], k="all"))


def test_undefined_values_are_not_counted():
    nothing = (numpy.nan, numpy.nan)
    text = compare_with_chance(rows([INSIDE, nothing], [nothing]))
    assert "inside the chance band in the only comparison (mean 0.750" in text
    assert (
        "define it, agreement at k = non-zero is without an interval to hold against chance."
        in text
    )
