"""A model that has learned nothing, or attends to everything alike, gives nothing to judge."""

import numpy
import pandas
import pytest

from analysis.__main__ import main
from analysis.performance import not_asked_of_majority, nothing_to_judge
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows, write_attributions


def files(folder, rows_of_seeds, **options):
    return [
        load_attributions(
            write_attributions(folder / f"{seed}.parquet", rows, config=config(seed, **options))
        )
        for seed, rows in enumerate(rows_of_seeds)
    ]


def predicting(right, labels, seed=0):
    """Rows of texts with these labels, of which each is predicted with its label's probability."""
    generator = numpy.random.default_rng(seed)
    rows = random_rows(len(labels), seed=seed)
    for row, label in zip(rows, labels):
        correct = generator.random() < right[label]
        row["label"], row["predicted"] = label, label if correct else "other"
    return rows


EVEN = ["a", "b"] * 100
UNEVEN = ["a"] * 180 + ["b"] * 20


@pytest.mark.parametrize(
    "right, labels, learned",
    [
        ({"a": 0.9, "b": 0.9}, EVEN, True),
        ({"a": 1.0, "b": 0.0}, EVEN, False),
        ({"a": 0.5, "b": 0.5}, EVEN, False),
        ({"a": 1.0, "b": 0.0}, UNEVEN, False),
        ({"a": 1.0, "b": 0.8}, UNEVEN, True),
        # Less accurate than the majority, but it knows the rare class.
        ({"a": 0.8, "b": 0.9}, UNEVEN, True),
    ],
)
@pytest.mark.parametrize("seeds", [1, 3])
def test_a_model_has_to_be_better_than_the_majority_class(tmp_path, right, labels, learned, seeds):
    of_seeds = [predicting(right, labels, seed) for seed in range(seeds)]
    said = nothing_to_judge(files(tmp_path, of_seeds))
    tables = [pandas.DataFrame(rows) for rows in of_seeds]
    accuracy = numpy.mean([(table["label"] == table["predicted"]).mean() for table in tables])
    share = labels.count("a") / len(labels)
    expected = f"accuracy {accuracy:.3f} is no better than the majority class's {share:.3f}"
    # Always the same label: surely no better, whatever the number of texts.
    if right != {"a": 1.0, "b": 0.0}:
        expected = (
            expected.replace("is no better than", "does not differ significantly from")
            + " on 200 texts; more texts may show a difference"
        )
    assert said == ("" if learned else expected)


def test_without_two_labels_it_cannot_be_told(tmp_path):
    unlabelled = [{**row, "label": None} for row in random_rows(10)]
    one_label = [{**row, "label": "1", "predicted": "0"} for row in random_rows(10)]
    for rows, why in (
        (unlabelled, "no text has a label"),
        (one_label, "all texts have the label '1'"),
    ):
        assert nothing_to_judge(files(tmp_path, [rows])) == ""
        assert not_asked_of_majority(files(tmp_path, [rows])) == why
    assert not_asked_of_majority(files(tmp_path, [predicting({"a": 0.5, "b": 0.5}, EVEN)])) == ""


@pytest.mark.parametrize("spread, said", [(0.01, True), (3.0, False)])
def test_attention_that_is_uniform_to_a_hundredth_is_none(tmp_path, spread, said):
    rows = random_rows(50, longest=30)
    for row in rows:
        weights = numpy.exp(spread * numpy.array(row["gradient"]))
        row["attention"] = (weights / weights.sum()).tolist()
    found = nothing_to_judge(files(tmp_path, [rows]))
    p = [numpy.array(row["attention"]) for row in rows]
    entropy = numpy.mean([-(one * numpy.log(one)).sum() / numpy.log(len(one)) for one in p])
    assert (entropy >= 0.99) is numpy.bool_(said)
    words = f"attention is uniform, its normalised entropy is {entropy:.3f}"
    assert found == (words if said else "")


def test_what_a_model_was_trained_to_lose_is_no_reason(tmp_path):
    rows = predicting({"a": 0.5, "b": 0.5}, EVEN)
    assert nothing_to_judge(files(tmp_path, [rows])) != ""
    assert nothing_to_judge(files(tmp_path, [rows], projection="uniform")) == ""


def test_it_is_said_instead_of_a_finding_and_claims_are_not_judged(tmp_path, capsys):
    path = write_attributions(tmp_path / "a.parquet", predicting({"a": 1.0, "b": 0.0}, EVEN))
    out = str(tmp_path / "out")
    assert main(["agreement", str(path), "-o", out, "--control-draws", "2"]) == 0
    assert "nothing to judge: accuracy" in capsys.readouterr().out
    assert main(["claims", out]) == 0
    printed = capsys.readouterr().out
    assert "nothing to judge Saliency methods" in printed and "holds" not in printed
    assert "is no better than the majority class's 0.500" in printed
