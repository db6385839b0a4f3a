"""Tables of perturbation files: permutation and instance adversary."""

import numpy
import pytest

from analysis.__main__ import main
from analysis.papers.jain_wallace.other_attention import adversary, permutation
from analysis.papers.shared.study_files import load_study
from tests.analysis.attribution_files import config
from tests.analysis.papers.written import entries, tables
from tests.analysis.perturbation_files import perturbed_rows, write_perturbations

ROWS = perturbed_rows(60)


@pytest.fixture
def models(tmp_path):
    path = write_perturbations(
        tmp_path / "p.parquet", ROWS, parameters={"instance-adversary": {"epsilon": 0.05}}
    )
    return load_study([path]).perturbed


def mean(column, *conditions):
    return numpy.mean([row[column] for row in ROWS if all(holds(row) for holds in conditions)])


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
