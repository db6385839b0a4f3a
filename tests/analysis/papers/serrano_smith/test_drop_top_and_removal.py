"""Tables of perturbation files: dropped and removed weights."""

import numpy
import pytest
from scipy.stats import ttest_1samp

from analysis.papers.serrano_smith import drop_top, removal
from analysis.papers.shared.study_files import load_study
from tests.analysis.papers.written import tables
from tests.analysis.perturbation_files import ORDERS, perturbed_rows, write_perturbations

ROWS = perturbed_rows(60)


@pytest.fixture
def models(tmp_path):
    path = write_perturbations(
        tmp_path / "p.parquet", ROWS, parameters={"instance-adversary": {"epsilon": 0.05}}
    )
    return load_study([path]).perturbed


def mean(column, *conditions):
    return numpy.mean([row[column] for row in ROWS if all(holds(row) for holds in conditions)])


def test_dropping_the_largest_weight_is_compared_with_another_on_the_same_texts(models, tmp_path):
    table = tables(drop_top, models, tmp_path / "out")["serrano-smith-drop-top"]
    table = table.set_index(["predicted", "effect"])
    for effect, field in (("change of output", "tvd"), ("share of flips", "flip")):
        row = table.loc[("overall", effect)]
        assert row["top"] == pytest.approx(mean(f"drop-top.top_{field}"))
        assert row["random"] == pytest.approx(mean(f"drop-top.random_{field}"))
        assert row["difference"] == pytest.approx(row["top"] - row["random"])
        assert row["low"] < row["difference"] < row["high"]


def test_texts_without_all_weights_to_drop_are_left_out_of_both(tmp_path):
    rows = perturbed_rows(20)
    for row in rows[:5]:
        row |= {column: None for column in row if column.startswith("drop-top.")}
    path = write_perturbations(tmp_path / "p.parquet", rows)
    table = tables(drop_top, load_study([path]).perturbed, tmp_path / "out")
    assert (table["serrano-smith-drop-top"].query("predicted == 'overall'")["texts"] == 15).all()


def test_removal_is_of_the_texts_that_flip_in_every_order(tmp_path):
    rows = perturbed_rows(30)
    rows[1] |= {"removal-order.random_flipped": False, "removal-order.random_fraction": 1.0}
    path = write_perturbations(tmp_path / "p.parquet", rows)
    table = tables(removal, load_study([path]).perturbed, tmp_path / "out")["serrano-smith-removal"]
    table = table.query("predicted == 'overall'").set_index("order")
    kept = [row for row in rows if all(row[f"removal-order.{order}_flipped"] for order in ORDERS)]
    assert (table["n"] == len(kept)).all() and len(kept) == 24
    expected = numpy.mean([row["removal-order.gradient_fraction"] for row in kept])
    assert table.loc["gradient", "mean"] == pytest.approx(expected)
    assert table.loc["gradient", "flipped"] == pytest.approx(25 / 30)
    less = [
        row["removal-order.attention_fraction"] - row["removal-order.gradient_fraction"]
        for row in kept
    ]
    assert table.loc["gradient", "attention less"] == pytest.approx(numpy.mean(less))
    expected = ttest_1samp(less, 0).confidence_interval(0.95)
    assert table.loc["gradient", "attention less high"] == pytest.approx(expected.high)
    assert table.loc["random", "flipped"] == pytest.approx(24 / 30)
