"""Methods next to attention, on the same texts, against plain loops."""

from dataclasses import replace

import numpy
import pandas
import pytest

from analysis.agreement.agreements import Pair, agreements
from analysis.agreement.comparisons import attention_apart
from tests.analysis.agreement.test_agreements import KENDALL, model_of

OURS = [Pair("attention", "gradient"), Pair("attention", "leave-one-out")]
THEIRS = [Pair("gradient", "leave-one-out")]


def test_it_is_the_difference_of_the_mean_scores(tmp_path):
    model = model_of(tmp_path, 1, 2, 3, texts=60)
    found = agreements(model, [*OURS, *THEIRS], [KENDALL], draws=3)
    # Noise is no method, and attention in another form is no other one.
    found.append(replace(found[2], pair=Pair("attention", "random")))
    found.append(replace(found[2], pair=Pair("attention", "attention-rollout")))
    found.append(replace(found[0], pair=Pair("gradient", "attention-first-layer")))
    # Gaps of one pair are no gaps of the others.
    found[0].observed.value[:, :20] = numpy.nan
    (row,) = attention_apart(found).to_dict("records")
    positions = [numpy.nanmean(one.scaled()) for one in found]
    assert row["of attention"] == pytest.approx((positions[0] + positions[1]) / 2)
    assert row["of others"] == pytest.approx(positions[2])
    assert (row["pairs of attention"], row["pairs of others"]) == (2, 1)
    less = row["others less attention"]
    assert less == pytest.approx(row["of others"] - row["of attention"])
    assert row["others less attention low"] < less < row["others less attention high"]


def test_methods_that_are_one_count_once(tmp_path):
    model = model_of(tmp_path, 1, 2, 3, texts=60)
    found = agreements(model, [*OURS, *THEIRS], [KENDALL], draws=3)
    alone = attention_apart(found)
    equal = replace(found[2].observed, value=numpy.full_like(found[2].observed.value, 0.99))
    same = replace(found[2], pair=Pair("gradient", "twin"), observed=equal)
    again = [
        replace(found[0], pair=Pair("attention", "twin")),
        replace(found[2], pair=Pair("leave-one-out", "twin")),
    ]
    assert attention_apart([*found, *again])["pairs of others"].item() == 2
    pandas.testing.assert_frame_equal(attention_apart([*found, *again, same]), alone)


def test_without_gaps_the_interval_is_that_of_the_texts_differences(tmp_path):
    found = agreements(model_of(tmp_path, 1, texts=60), [*OURS, *THEIRS], [KENDALL], draws=3)
    (row,) = attention_apart(found).to_dict("records")
    first, second, third = (one.scaled()[0] for one in found)
    less = third - (first + second) / 2
    assert not numpy.isnan(less).any()
    error = less.std(ddof=1) / numpy.sqrt(60)
    half = (row["others less attention high"] - row["others less attention low"]) / 2
    assert half == pytest.approx(2.001 * error, rel=1e-3)


def test_it_takes_both_kinds_of_pairs(tmp_path):
    model = model_of(tmp_path, 1)
    assert attention_apart(agreements(model, OURS, [KENDALL])).empty
    assert attention_apart(agreements(model, THEIRS, [KENDALL])).empty
