"""How often a measure ranks the true order above a random one, on files whose answer is known."""

from types import SimpleNamespace

import numpy
import pandas
import pytest

from analysis.errors import AnalysisError
from analysis.faithfulness.scale import Measured
from analysis.plausibility.causes import predicted_right
from analysis.text_files import FaithfulnessMeasure, load_attributions
from analysis.truth import diagnosticity
from analysis.truth.diagnosticity import diagnosticity_table, judged_files, wins
from attention_explain.errors import InputError
from attention_explain.faithfulness.scores_file import add_true_order, read_scores
from tests.analysis.attribution_files import random_rows, write_attributions

MEASURE = FaithfulnessMeasure("comprehensiveness", "delete")


def measured(true, chance, higher=True):
    values = {"rationale": numpy.array([true]), "random-order": numpy.array([chance])}
    return Measured(MEASURE, values, higher)


@pytest.mark.parametrize("higher", [True, False])
def test_the_true_order_wins_if_its_value_is_better(higher):
    sign = 1 if higher else -1
    true = [sign * value for value in (0.5, 0.1, 0.3, 0.9, numpy.nan)]
    chance = [sign * value for value in (0.2, 0.4, 0.3, 0.1, 0.1)]
    right = numpy.array([True, True, True, False, True])
    found = wins(measured(true, chance, higher), right)
    assert found[:3].tolist() == [1, 0, 0.5]
    # Not predicted right, and without a value.
    assert numpy.isnan(found[3:]).all()


def judged(values, monkeypatch):
    """Models with these values of the true order; the random one always has 0.5."""
    monkeypatch.setattr(diagnosticity, "agreement_rows", lambda one: one.agreement)
    models = []
    for number, true in enumerate(values):
        ids = [f"t{row}" for row in range(len(true))]
        rows = [{"measure": MEASURE.name, "erasure": "delete", "tau": 0.1 * number}]
        models.append(
            SimpleNamespace(
                measures=[measured(true, [0.5] * len(true))],
                faithfulness=SimpleNamespace(ids=ids),
                attributions=SimpleNamespace(
                    table=pandas.DataFrame({"id": ids, "label": "1", "predicted": "1"})
                ),
                agreement=rows,
            )
        )
    return models


def test_models_count_alike(monkeypatch):
    values = [[1.0, 1.0, 1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    (row,) = diagnosticity_table(judged(values, monkeypatch)).to_dict("records")
    assert row["diagnosticity"] == pytest.approx((3 / 4 + 1 / 2 + 1) / 3)
    assert row["tau with truth"] == pytest.approx(0.1)
    assert row["tau with truth low"] < 0.1 < row["tau with truth high"]
    assert (row["models"], row["texts"]) == (3, 8)


def test_one_model_has_an_interval_over_texts(monkeypatch):
    (row,) = diagnosticity_table(judged([[1.0, 1.0, 0.0]], monkeypatch)).to_dict("records")
    assert row["diagnosticity low"] < row["diagnosticity"] < row["diagnosticity high"]
    assert numpy.isnan(row["tau with truth low"])


def test_files_without_the_true_order_are_an_error(monkeypatch):
    models = judged([[1.0]], monkeypatch)
    models[0].measures = []
    with pytest.raises(AnalysisError, match="--rationale"):
        diagnosticity_table(models)


def test_a_faithfulness_file_needs_the_attributions_of_its_model():
    with pytest.raises(AnalysisError, match="no attribution file is of the same model"):
        judged_files([], [SimpleNamespace(learned="x", path="f.parquet")])


def test_the_rationale_and_a_random_order_become_methods(tmp_path):
    rows = random_rows(8, ["gradient"], rationale=True)
    rows[3]["rationale"] = None
    path = write_attributions(tmp_path / "a.parquet", rows, ["gradient"])
    scores = read_scores(path)
    add_true_order(scores)
    assert list(scores.methods) == ["gradient", "rationale", "random-order"]
    for row in rows:
        text = scores.texts[row["id"]]
        assert text.scores["rationale"] == row["rationale"]
        if row["rationale"] is None:
            assert text.missing["rationale"] == "no rationale"
        else:
            order = text.scores["random-order"]
            assert sorted(order) == list(range(1, len(row["tokens"]) + 1))
    plain = write_attributions(tmp_path / "b.parquet", random_rows(3, ["gradient"]), ["gradient"])
    with pytest.raises(InputError, match="no rationale"):
        add_true_order(read_scores(plain))


def test_edits_count_if_both_versions_are_predicted_right(tmp_path):
    rows = [
        {"id": name, "label": "1", "predicted": predicted, "rationale": [1], "good": [1]}
        for name, predicted in (
            ("a", "1"),
            ("a (edited)", "1"),
            ("b", "1"),
            ("b (edited)", "0"),
            ("c", "1"),
        )
    ]
    file = load_attributions(write_attributions(tmp_path / "a.parquet", rows, ["good"]))
    assert predicted_right(file).tolist() == [True, True, False, False, True]
