"""Summaries of a small sample whose numbers can be worked out by hand."""

from dataclasses import replace

import numpy
import pytest

from analysis.measures.measure import Values
from analysis.statistics.samples import Sample, summaries, summary

NAN = numpy.nan
SAMPLE = Sample.of(
    [
        Values(
            value=numpy.array([0.5, NAN, 0.1, NAN]),
            undefined=numpy.array(["", "constant scores", "", "no scores"], dtype=object),
            p_value=numpy.array([0.01, NAN, 0.5, NAN]),
        ),
        Values(
            value=numpy.array([0.3, 0.2, NAN, NAN]),
            undefined=numpy.array(["", "", "constant scores", "no scores"], dtype=object),
            p_value=numpy.array([0.04, 0.2, NAN, NAN]),
        ),
    ]
)


def test_values_are_counted_and_undefined_ones_never_averaged():
    found = summary(SAMPLE)
    assert (found["n"], found["texts"], found["undefined"]) == (4, 3, 4)
    assert found["reasons"] == "constant scores: 2; no scores: 2"
    assert found["mean"] == pytest.approx(0.275) and found["median"] == pytest.approx(0.25)
    assert found["std"] == pytest.approx(numpy.std([0.5, 0.1, 0.3, 0.2], ddof=1))
    assert found["seed std"] == pytest.approx(numpy.std([0.3, 0.25], ddof=1))
    assert found["low"] < 0.275 < found["high"]
    # In the first seed .01 is left of two tests; in the second .04 becomes .08.
    assert (found["significant"], found["significant BH"]) == (0.5, 0.25)


def test_a_text_outside_the_group_is_neither_defined_nor_undefined():
    member = numpy.array([[True, True, False, False], [False, True, False, False]])
    found = summary(SAMPLE.where(member))
    assert (found["n"], found["undefined"], found["reasons"]) == (2, 1, "constant scores: 1")
    assert found["mean"] == pytest.approx(0.35)


def test_a_group_without_values_has_no_numbers_and_no_warning(recwarn):
    found = summary(SAMPLE.where(numpy.zeros((2, 4), dtype=bool)))
    assert found["n"] == found["undefined"] == 0
    assert all(numpy.isnan(found[name]) for name in ("mean", "low", "std", "significant"))
    assert not list(recwarn)


def test_one_seed_has_no_spread_of_seeds_and_no_p_value_no_share():
    bare = Sample(value=SAMPLE.value[:1], undefined=SAMPLE.undefined[:1])
    found = summary(bare)
    assert numpy.isnan(found["seed std"]) and numpy.isnan(found["significant BH"])


def test_several_at_once_are_each_alone():
    other = Sample(value=SAMPLE.value + 1, undefined=SAMPLE.undefined, p_value=SAMPLE.p_value)
    together = summaries([SAMPLE, other])
    assert together == [summary(sample) for sample in (SAMPLE, other)]


@pytest.mark.parametrize("seeds, over", [(1, "texts"), (2, "texts"), (3, "texts and seeds")])
def test_a_summary_says_what_its_interval_is_over(seeds, over):
    values = numpy.random.default_rng(0).normal(size=(seeds, 20))
    sample = Sample(value=values, undefined=numpy.full(values.shape, "", dtype=object))
    assert summary(sample)["interval over"] == over


def test_no_interval_ends_where_no_value_can_be():
    values = numpy.array([[0.0, 0.0, 0.0, 0.9]])
    free = Sample(value=values, undefined=numpy.full(values.shape, "", dtype=object))
    bounded = replace(free, between=(0.0, 1.0)).where(numpy.ones(values.shape, dtype=bool))
    assert summary(free)["low"] < 0 and summary(bounded)["low"] == 0
    assert summary(bounded)["mean"] == summary(free)["mean"]
    assert summary(bounded)["high"] == summary(free)["high"] < 1
