"""Typical and disputed texts, against a choice made one text at a time."""

import math
import statistics

import numpy
import pytest
from scipy.stats import kendalltau

from analysis.report.texts import (
    AGREED,
    DISPUTED,
    NUMBERS,
    TYPICAL,
    agreements,
    choose,
    compared,
)
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import random_rows, write_attributions
from tests.analysis.report.folders import METHODS, attribution_file


def slow_agreement(row, reference, others):
    taus = []
    for other in others:
        if row[other] is not None and len(set(row[other])) > 1 and len(set(row[reference])) > 1:
            taus.append(kendalltau(row[reference], row[other]).statistic)
    return sum(taus) / len(taus) if taus else math.nan


def slow_choice(agreement, lengths):
    """Sorts what is left again for each text that is taken."""
    ordered = sorted(lengths)
    low, high = (ordered[round(share * (len(ordered) - 1))] for share in (0.25, 0.75))
    left = [
        row
        for row, value in enumerate(agreement)
        if low <= lengths[row] <= high and not math.isnan(value)
    ]
    middle = statistics.median(agreement[row] for row in left)
    distance = {
        TYPICAL: lambda row: abs(agreement[row] - middle),
        DISPUTED: lambda row: agreement[row],
        AGREED: lambda row: -agreement[row],
    }
    taken = []
    for kind, number in NUMBERS.items():
        for _ in range(min(number, len(left))):
            best = min(left, key=lambda row: (distance[kind](row), row))
            left.remove(best)
            taken.append((best, kind))
    return taken


@pytest.fixture
def rows():
    rows = random_rows(texts=41, methods=METHODS)
    rows[3]["gradient"] = None
    rows[4]["gradient"] = rows[4]["leave-one-out"] = None
    rows[5]["attention"] = [0.5] * len(rows[5]["tokens"])
    rows[6]["leave-one-out"] = [0.0] * len(rows[6]["tokens"])
    return rows


def test_agreement_is_the_mean_over_the_methods_that_have_any(rows, tmp_path):
    file = load_attributions(attribution_file(tmp_path / "a.parquet", rows))
    found = agreements(file)
    slow = [slow_agreement(row, "attention", ["gradient", "leave-one-out"]) for row in rows]
    assert numpy.allclose(found, slow, equal_nan=True)
    assert numpy.isnan(found[[4, 5]]).all() and not numpy.isnan(found[[3, 6]]).any()


def test_what_has_no_sign_is_compared_with_the_sizes_of_what_has_one(rows, tmp_path):
    for row in rows:
        if row["gradient"] is not None:
            row["gradient"] = [
                score * (-1) ** position for position, score in enumerate(row["gradient"])
            ]
    declared = {"attention": {"signed": False}, "gradient": {"signed": True}}
    path = write_attributions(tmp_path / "a.parquet", rows, list(declared), interpreters=declared)
    for row in rows:
        if row["gradient"] is not None:
            row["gradient"] = [abs(score) for score in row["gradient"]]
    slow = [slow_agreement(row, "attention", ["gradient"]) for row in rows]
    assert numpy.allclose(agreements(load_attributions(path)), slow, equal_nan=True)


def test_attention_is_held_against_every_method_but_the_control(rows, tmp_path):
    file = load_attributions(attribution_file(tmp_path / "a.parquet", rows))
    assert compared(file) == ("attention", ["gradient", "leave-one-out"])
    for row in rows:
        del row["attention"]
    bare = load_attributions(attribution_file(tmp_path / "b.parquet", rows))
    assert compared(bare) == ("gradient", ["leave-one-out"])


def test_the_choice_is_that_of_taking_the_best_again_and_again(rows, tmp_path):
    file = load_attributions(attribution_file(tmp_path / "a.parquet", rows))
    agreement, lengths = agreements(file), file.token_counts
    found = [(one.row, one.kind) for one in choose(agreement, lengths)]
    assert found == slow_choice(agreement.tolist(), lengths.tolist())
    assert len(found) == sum(NUMBERS.values())


def test_the_first_text_wins_a_tie_and_none_is_taken_twice():
    lengths = numpy.full(6, 10)
    tied = numpy.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    assert [one.row for one in choose(tied, lengths)] == [0, 1, 2, 3, 4]
    few = choose(numpy.array([0.1, numpy.nan, 0.9]), numpy.full(3, 10))
    assert sorted(one.row for one in few) == [0, 2]


def test_the_shortest_and_longest_texts_are_not_chosen():
    lengths = numpy.array([2, 2, 10, 10, 10, 10, 10, 10, 90, 90])
    agreement = numpy.array([-1, 1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, -0.9, 0.9])
    assert {one.row for one in choose(agreement, lengths)} <= set(range(2, 8))


def test_without_any_agreement_nothing_is_chosen():
    assert choose(numpy.full(4, numpy.nan), numpy.full(4, 10)) == []
