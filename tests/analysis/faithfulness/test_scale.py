"""Scores between chance and the best possible: each number against the definition, text by text."""

from statistics import mean

import numpy
import pytest

from analysis.faithfulness.scale import measured, rows_of, shares_tied
from analysis.papers.faithfulness import SHARES, curves_of, difference_rows, removal_rows
from analysis.papers.shared.study_files import load_study
from analysis.text_files import FaithfulnessMeasure, load_faithfulness
from tests.analysis.faithfulness.faithfulness_files import TRUTH, judged_rows, write_faithfulness


@pytest.fixture
def rows():
    return {seed: judged_rows(texts=15, seed=seed) for seed in (1, 2, 3)}


@pytest.fixture
def model(rows, tmp_path):
    for seed, of_seed in rows.items():
        write_faithfulness(tmp_path / f"{seed}.parquet", of_seed, seed)
    (found,) = load_study([tmp_path]).judged
    return found


def values(rows, method, measure, erasure="delete", k=None):
    """By seed and text."""
    wanted = {"method": method, "measure": measure, "erasure": erasure, "k": k}
    return {
        (seed, row["id"]): row["value"]
        for seed, of_seed in rows.items()
        for row in of_seed
        if all(row[key] == value for key, value in wanted.items())
    }


def one(model, name, erasure="delete", k=None):
    return next(
        each for each in measured(model) if each.measure == FaithfulnessMeasure(name, erasure, k)
    )


@pytest.mark.parametrize("name", ["comprehensiveness", "sufficiency", "deletion_curve"])
@pytest.mark.parametrize("method", [*TRUTH, "random", "search"])
def test_a_score_is_what_is_gained_of_what_could_be(model, rows, name, method):
    found = next(row for row in rows_of(one(model, name)) if row["method"] == method)
    ours, chance, best = (values(rows, each, name) for each in (method, "random", "search"))
    gained = mean(ours[cell] - chance[cell] for cell in ours)
    could = mean(best[cell] - chance[cell] for cell in ours)
    assert found["score"] == pytest.approx(gained / could)
    assert found["mean"] == pytest.approx(mean(ours.values()))
    assert found["texts"] == 15
    if method in TRUTH and name != "deletion_curve":
        assert found["score low"] < TRUTH[method] < found["score high"]


def test_bins_are_measures_of_their_own(model, rows):
    found = {row["method"]: row["mean"] for row in rows_of(one(model, "sufficiency", k=0.1))}
    expected = values(rows, "lrp", "sufficiency", k=0.1)
    assert found["lrp"] == pytest.approx(mean(expected.values()))


def test_a_measure_without_ends_has_no_score(model):
    each = one(model, "parameter_randomization", "")
    assert not each.has_scale
    assert numpy.isnan([row["score"] for row in rows_of(each)]).all()
    assert difference_rows(each) == []


def test_differences_are_of_scores_the_better_first(model, rows):
    found = difference_rows(one(model, "comprehensiveness"))
    pairs = [(row["first"], row["second"]) for row in found]
    assert pairs == [("lrp", "gradient"), ("lrp", "attention"), ("gradient", "attention")]
    scores = {row["method"]: row["score"] for row in rows_of(one(model, "comprehensiveness"))}
    for row in found:
        assert row["difference"] == pytest.approx(scores[row["first"]] - scores[row["second"]])
        assert 0 < row["low"] < row["difference"] < row["high"]
        assert row["p"] <= row["p Holm"] < 0.05


def test_methods_that_are_alike_are_not_told_apart(tmp_path):
    truth = {"one": 0.5, "other": 0.5}
    for seed in (1, 2, 3):
        write_faithfulness(
            tmp_path / f"{seed}.parquet", judged_rows(60, truth, seed=seed, noise=0.4), seed
        )
    (model,) = load_study([tmp_path]).judged
    (row,) = difference_rows(one(model, "comprehensiveness"))
    assert row["low"] < 0 < row["high"]
    assert row["p Holm"] > 0.05


def test_erasures_that_agree_have_a_tau_of_1_and_others_less(model, tmp_path):
    assert {row["tau"] for row in removal_rows(measured(model))} == {1.0}
    turned = dict(zip(TRUTH, reversed(TRUTH.values())))
    rows = judged_rows(erasures=["delete"]) + [
        row for row in judged_rows(truth=turned, erasures=["unk"]) if row["erasure"]
    ]
    (tmp_path / "turned").mkdir()
    write_faithfulness(tmp_path / "turned" / "1.parquet", rows)
    (other,) = load_study([tmp_path / "turned"]).judged
    found = {row["measure"]: row for row in removal_rows(measured(other))}
    assert found["comprehensiveness"]["tau"] == -1.0
    assert found["comprehensiveness"]["best by first"] == "lrp"
    assert found["comprehensiveness"]["best by second"] == "attention"


def test_ties_are_told(model):
    assert shares_tied(measured(model)) == dict.fromkeys(TRUTH, 0.25)


def test_curves_are_read_at_the_same_shares_of_texts_of_any_length(model, rows):
    curves = curves_of(model, FaithfulnessMeasure("deletion_curve", "delete"))["lrp"]
    assert curves.shape == (len(SHARES), 3, 15)
    row = next(
        row
        for row in rows[2]
        if (row["id"], row["method"], row["measure"]) == ("text-4", "lrp", "deletion_curve")
    )
    # A curve of 7 points: the middle one is the value at a half.
    assert len(row["curve"]) == 7
    assert curves[10, 1, 4] == pytest.approx(row["curve"][3], abs=1e-6)
    assert curves[0, 1, 4] == pytest.approx(row["curve"][0], abs=1e-6)


def test_a_text_without_a_value_is_left_out(tmp_path):
    rows = judged_rows(texts=10)
    for row in rows:
        if row["id"] == "text-3" and row["method"] == "lrp":
            row["value"] = None
    file = load_faithfulness(write_faithfulness(tmp_path / "1.parquet", rows))
    assert len(file.ids) == 10
    (model,) = load_study([tmp_path]).judged
    found = {row["method"]: row["texts"] for row in rows_of(one(model, "comprehensiveness"))}
    assert (found["lrp"], found["gradient"]) == (9, 10)
