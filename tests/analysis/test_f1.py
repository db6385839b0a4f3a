"""F1 and its bootstrap, against the definition."""

import numpy
import pytest

from analysis.attributions import load_attributions
from analysis.f1 import Decisions, f1
from analysis.statistics.bootstrap import Bootstrap
from tests.analysis.attribution_files import random_rows, write_attributions


def by_definition(rows, label):
    hits = sum(row["label"] == label == row["predicted"] for row in rows)
    said = sum(row["predicted"] == label for row in rows if row["label"] is not None)
    true = sum(row["label"] == label for row in rows)
    precision, recall = hits / said, hits / true
    return 2 * precision * recall / (precision + recall)


def load(tmp_path, rows, name="a", **metadata):
    return load_attributions(write_attributions(tmp_path / f"{name}.parquet", rows, **metadata))


def test_of_two_classes_the_positive_one_counts(tmp_path):
    rows = random_rows(50)
    assert f1(load(tmp_path, rows)) == pytest.approx(by_definition(rows, "1"))


def test_of_three_classes_all_count_alike(tmp_path):
    rows = random_rows(60)
    for index, row in enumerate(rows):
        row["label"], row["predicted"] = str(index % 3), str(index % 4 % 3)
    expected = numpy.mean([by_definition(rows, label) for label in "012"])
    assert f1(load(tmp_path, rows, labels=["0", "1", "2"])) == pytest.approx(expected)


def test_texts_without_a_label_do_not_count(tmp_path):
    rows = random_rows(50)
    for row in rows[::3]:
        row["label"] = None
    file = load(tmp_path, rows)
    assert f1(file) == pytest.approx(by_definition(rows, "1"))
    assert Decisions.of([file]).n == len([row for row in rows if row["label"] is not None])


def test_a_class_that_is_nowhere_has_0(tmp_path):
    rows = random_rows(10)
    for row in rows:
        row["label"] = row["predicted"] = "0"
    assert f1(load(tmp_path, rows)) == 0.0


def test_draws_are_f1_of_texts_drawn_again(tmp_path):
    rows = random_rows(40)
    draws = Decisions.of([load(tmp_path, rows)]).draws(Bootstrap(draws=4000))
    generator = numpy.random.default_rng(1)
    again = [
        by_definition([rows[place] for place in generator.integers(0, 40, 40)], "1")
        for _ in range(4000)
    ]
    assert draws.shape == (4000,)
    assert draws.mean() == pytest.approx(numpy.mean(again), abs=0.01)
    assert draws.std() == pytest.approx(numpy.std(again), rel=0.1)


def test_equal_decisions_have_equal_draws(tmp_path):
    rows = random_rows(30)
    one, other = (Decisions.of([load(tmp_path, rows, name)]) for name in "ab")
    assert numpy.array_equal(one.draws(Bootstrap(), 1), other.draws(Bootstrap(), 2))
