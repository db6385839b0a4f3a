"""Kendall's tau-b with leave-one-out, by counting pairs."""

import itertools
import math

import numpy
import pytest

from tests.builders import TEXTS
from tests.faithfulness.judging import LABEL, judged
from tests.faithfulness.slow_faithfulness import slow_outputs
from tests.faithfulness.test_outputs import classifier

NAME = "leave_one_out_correlation"


def slow_tau(scores, drops):
    agree = differ = one = other = 0
    for (a, b), (c, d) in itertools.combinations(zip(scores, drops), 2):
        if a == c and b == d:
            continue
        if a == c:
            one += 1
        elif b == d:
            other += 1
        elif (a - c) * (b - d) > 0:
            agree += 1
        else:
            differ += 1
    pairs = agree + differ
    return (agree - differ) / math.sqrt((pairs + one) * (pairs + other))


def measured(made, scores, by="signed", measure=NAME, erasure="delete"):
    found = judged(made, {"mine": scores}, measure, erasure, by=by)
    return [{method: row for (method, name), row in rows.items() if name == NAME} for rows in found]


@pytest.mark.parametrize("encoder, erasure", [("bilstm", "delete"), ("transformer", "zero")])
@pytest.mark.parametrize("by", ["signed", "size"])
def test_it_is_tau_b_of_scores_and_drops(encoder, erasure, by):
    made = classifier(encoder)
    generator = numpy.random.default_rng(2)
    # Some of them tied.
    scores = [generator.integers(-3, 4, len(text.split())).astype(float).tolist() for text in TEXTS]
    found = measured(made, scores, by, erasure=erasure)
    size = abs if by == "size" else float
    for text, given, rows in zip(TEXTS, scores, found, strict=True):
        words = text.split()
        if len(words) == 1:
            assert rows["mine"].value is None and "the same" in rows["mine"].undefined
            continue
        p = slow_outputs(made, words, erasure, bounded=True)
        whole = p(range(len(words)))[LABEL]
        others = [[i for i in range(len(words)) if i != gone] for gone in range(len(words))]
        drops = [size(whole - p(kept)[LABEL]) for kept in others]
        expected = slow_tau([size(score) for score in given], drops)
        assert rows["mine"].value == pytest.approx(expected, abs=1e-9)
        assert rows["search"].value == pytest.approx(1.0)
        chance = rows["random"].value
        assert -1 < chance < 1
        assert rows["mine"].normalised == pytest.approx((expected - chance) / (1 - chance))


def test_equal_scores_have_no_correlation():
    rows = measured(classifier(), [[0.5] * len(text.split()) for text in TEXTS])[1]
    assert rows["mine"].undefined == "all scores are the same"


def test_long_texts_are_not_measured():
    scores = [list(map(float, range(len(text.split())))) for text in TEXTS]
    measure = {"type": NAME, "max_tokens": 5}
    found = measured(classifier(), scores, measure=measure)
    for text, rows in zip(TEXTS, found):
        if len(text.split()) > 5:
            assert "more than 5 tokens" in rows["mine"].undefined
        elif len(text.split()) > 1:
            assert rows["mine"].value is not None
