"""Tables of perturbation files: permutation, instance adversary, dropped and removed weights."""

import numpy
import pytest
from scipy.stats import ttest_1samp

from analysis.__main__ import main
from analysis.papers.bins import NAMES, bins_of
from analysis.papers.instance_adversary import adversary
from analysis.papers.permutation import permutation
from analysis.papers.serrano_smith import drop_top, removal
from analysis.papers.study import load_study
from tests.analysis.attribution_files import config
from tests.analysis.papers.written import entries, tables
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


def test_a_largest_weight_is_in_the_bin_that_begins_with_it():
    weights = numpy.array([[0.0, 0.2499, 0.25, 0.5, 0.75, 1.0, 1.0000001, numpy.nan]])
    found = bins_of(weights)
    places = [[name for name in NAMES if found[name][0, text]] for text in range(8)]
    assert places == [
        ["[0, .25)"],
        ["[0, .25)"],
        ["[.25, .5)"],
        ["[.5, .75)"],
        ["[.75, 1]"],
        ["[.75, 1]"],
        ["[.75, 1]"],
        [],
    ]


def test_permutation_has_the_mean_of_the_medians_by_class_and_bin(models, tmp_path):
    table = tables(permutation, models, tmp_path / "out")["jain-wallace-permutation"]
    table = table.set_index(["predicted", "max attention"])
    chosen = (
        lambda row: row["predicted"] == "1",
        lambda row: 0.5 <= row["permutation.max_attention"] < 0.75,
    )
    row = table.loc[("1", "[.5, .75)")]
    assert row["mean"] == pytest.approx(mean("permutation.median_tvd", *chosen))
    assert row["n"] == sum(all(holds(row) for holds in chosen) for row in ROWS)
    assert table.loc[("overall", "all"), "n"] == 60
    # Each text is in one class and one bin.
    inside = table.reset_index().query("predicted != 'overall' and `max attention` != 'all'")
    assert inside["n"].sum() == 60


def test_failures_of_the_search_count_as_0_and_stand_apart(models, tmp_path):
    table = tables(adversary, models, tmp_path / "out")["jain-wallace-adversary"]
    row = table.set_index("predicted").loc["overall"]
    assert row["success mean"] == pytest.approx(48 / 60)
    assert row["all mean"] == pytest.approx(mean("instance-adversary.max_jsd"))
    found = mean("instance-adversary.max_jsd", lambda row: row["instance-adversary.success"])
    assert row["found mean"] == pytest.approx(found) and found > row["all mean"]
    assert row["all low"] < row["all mean"] < row["all high"] and row["epsilon"] == 0.05


def test_the_sentence_on_adversaries_has_the_numbers(models, tmp_path):
    name = "jain-wallace-adversary-finding-small-bilstm-tanh-softmax"
    found = entries(adversary, models, tmp_path)[name]["caption"]
    assert "for 80.0 % of the texts" in found and "within 0.05" in found and "n = 60" in found


def test_a_search_that_found_nothing_at_all_says_so(tmp_path):
    rows = [
        {**row, "instance-adversary.success": False, "instance-adversary.max_jsd": 0.0}
        for row in perturbed_rows(10)
    ]
    path = write_perturbations(tmp_path / "p.parquet", rows)
    found = entries(adversary, load_study([path]).perturbed, tmp_path)
    sentence = found["jain-wallace-adversary-finding-small-bilstm-tanh-softmax"]["caption"]
    assert (
        "no text has another attention" in sentence and "jain-wallace-adversary-histogram" in found
    )


def test_dropping_the_largest_weight_is_held_against_another_on_the_same_texts(models, tmp_path):
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


def test_seeds_are_taken_together(tmp_path):
    paths = [
        write_perturbations(tmp_path / f"{seed}.parquet", ROWS, config(seed)) for seed in (1, 2)
    ]
    (model,) = load_study(paths).perturbed
    table = tables(permutation, [model], tmp_path / "out")["jain-wallace-permutation"]
    assert table.set_index(["predicted", "max attention"]).loc[("overall", "all"), "n"] == 120


def test_a_file_without_the_perturbation_is_named(tmp_path, capsys):
    rows = [
        {name: value for name, value in row.items() if not name.startswith("permutation.")}
        for row in perturbed_rows(5)
    ]
    path = write_perturbations(tmp_path / "p.parquet", rows)
    out = tmp_path / "out"
    assert main(["table", "jain-wallace-permutation", str(path), "-o", str(out)]) == 2
    error = capsys.readouterr().err
    assert f"{path}: has no 'permutation.median_tvd'; it has instance-adversary, uniform" in error
    assert error.count("\n") == 1 and not out.exists()
