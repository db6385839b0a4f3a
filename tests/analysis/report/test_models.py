"""The models of the report: accuracy and F1 by counting, and who chose the epoch."""

import pytest

from analysis.models import models_of
from analysis.performance import accuracy, f1
from analysis.report.page import models_table, selection
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows
from tests.analysis.report.folders import attribution_file, two_models


def slow_f1(rows, label):
    right = sum(row["label"] == row["predicted"] == label for row in rows)
    wrong = sum((row["label"] == label) != (row["predicted"] == label) for row in rows)
    return 2 * right / (2 * right + wrong) if right or wrong else 0.0


def labelled(rows, labels):
    """The same texts, with labels that go round."""
    return [
        {**row, "label": labels[n % len(labels)], "predicted": labels[n // 2 % len(labels)]}
        for n, row in enumerate(rows)
    ]


@pytest.mark.parametrize("labels", [["1", "0"], ["a", "c", "b"]])
def test_accuracy_and_f1_are_those_of_counting(labels, tmp_path):
    rows = labelled(random_rows(25), labels)
    rows[0]["label"] = None
    known = rows[1:]
    file = load_attributions(attribution_file(tmp_path / "a.parquet", rows, labels=labels))
    right = sum(row["label"] == row["predicted"] for row in known)
    assert accuracy(file) == pytest.approx(right / len(known))
    each = [slow_f1(known, label) for label in labels]
    expected = slow_f1(known, "1") if len(labels) == 2 else sum(each) / len(each)
    assert f1(file) == pytest.approx(expected)


def test_f1_is_that_of_the_label_the_config_calls_positive(tmp_path):
    rows = labelled(random_rows(25), ["0", "1"])
    named = config()
    named["model"]["positive_label"] = "0"
    file = load_attributions(attribution_file(tmp_path / "a.parquet", rows, config=named))
    assert f1(file) == pytest.approx(slow_f1(rows, "0"))


def test_seeds_of_a_model_are_one_row(tmp_path):
    files = [load_attributions(path) for path in two_models(tmp_path)]
    table = models_table(models_of(files))
    assert table["model"].tolist() == ["bilstm tanh softmax", "bilstm tanh sparsemax"]
    assert table["seeds"].tolist() == ["1, 2", "1"]
    one, two = map(accuracy, files[:2])
    assert table["accuracy"][0] == pytest.approx((one + two) / 2)
    assert table["sd accuracy"][0] == pytest.approx(abs(one - two) / 2**0.5)
    # One seed has no deviation, and the config says nothing of the epoch.
    assert table["sd accuracy"].isna().tolist() == [False, True]
    assert "epoch selected" not in table


def test_texts_without_labels_have_no_accuracy(tmp_path):
    rows = [{**row, "label": None} for row in random_rows(5)]
    file = load_attributions(attribution_file(tmp_path / "a.parquet", rows))
    assert "accuracy" not in models_table(models_of([file]))


@pytest.mark.parametrize(
    "paths, sentence",
    [
        ({"validation_data_path": "sst/dev.jsonl", "test_data_path": "t"}, "on dev.jsonl, by auc"),
        ({"validation_data_path": "t", "test_data_path": "t"}, "on the test data, by auc"),
        ({}, None),
    ],
)
def test_it_says_which_data_chose_the_epoch(paths, sentence):
    assert selection({"trainer": {"validation_metric": "+auc"}, **paths}) == sentence


def test_the_last_epoch_is_said_to_be_just_that():
    trainer = {"validation_metric": "+epochs_trained"}
    assert selection({"trainer": trainer, "validation_data_path": "dev"}) == "the last epoch"
