"""F1 and what each text moves it by, against the definition."""

import numpy
import pytest

from analysis.performance import Decisions, f1
from analysis.statistics.intervals import intervals
from analysis.text_files import load_attributions
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


def test_the_values_of_texts_have_f1_for_their_mean_and_say_what_a_text_moves_it_by(tmp_path):
    several = [random_rows(40, seed=number) for number in range(3)]
    for rows in several:
        rows[3]["label"] = None
    files = [load(tmp_path, rows, str(number)) for number, rows in enumerate(several)]
    decisions = Decisions.of(files)
    values = decisions.values
    assert values.shape == (3, 40) and numpy.isnan(values[:, 3]).all()
    assert numpy.nanmean(values) == pytest.approx(decisions.f1)
    for seed, text in ((0, 0), (1, 7), (2, 30)):
        # Counted a little more than the others, it moves the mean, and F1, by as much.
        more = 1e-6
        weights = numpy.ones_like(values)
        weights[seed, text] += more
        hits, counted = (
            numpy.nansum(weights * part[0]) for part in (decisions.hits, decisions.counted)
        )
        mean = numpy.nansum(weights * values) / weights[~numpy.isnan(values)].sum()
        assert mean - decisions.f1 == pytest.approx(2 * hits / counted - decisions.f1, rel=1e-3)


def test_the_interval_is_as_wide_as_that_of_texts_drawn_again(tmp_path):
    rows = random_rows(300)
    found = intervals(Decisions.of([load(tmp_path, rows)]).values[None])
    generator = numpy.random.default_rng(1)
    again = [
        by_definition([rows[position] for position in generator.integers(0, 300, 300)], "1")
        for _ in range(400)
    ]
    assert found.high[0] - found.low[0] == pytest.approx(2 * 1.96 * numpy.std(again), rel=0.15)


def test_of_three_classes_the_values_have_f1_for_their_mean(tmp_path):
    rows = random_rows(60)
    for index, row in enumerate(rows):
        row["label"], row["predicted"] = str(index % 3), str(index % 4 % 3)
    decisions = Decisions.of([load(tmp_path, rows, labels=["0", "1", "2", "never"])])
    assert decisions.values.mean() == pytest.approx(decisions.f1)
