"""Tables of trained adversaries, next to the published rows of the same lambda."""

import numpy
import pandas
import pytest
from scipy.stats import ttest_1samp

from analysis.errors import AnalysisError
from analysis.papers.meister.correlations import table_5 as meister_table_5
from analysis.papers.shared.divergence import divergence, per_instance
from analysis.papers.shared.families import families
from analysis.papers.shared.study_files import load_study
from analysis.papers.wiegreffe_pinter.adversaries import table_4, table_5
from analysis.papers.wiegreffe_pinter.adversary_plane import plane
from analysis.papers.wiegreffe_pinter.plane_numbers import (
    curves_of_bases,
    moved_by_adversaries,
    moved_by_fewer,
)
from analysis.statistics.intervals import intervals
from tests.analysis.attribution_files import config
from tests.analysis.papers.families import (
    adversary_config,
    text_rows,
    write_family,
    write_model,
    write_perturbed,
    write_training,
)
from tests.analysis.papers.written import entries, tables

REPORTED = {"test_f1": 0.8, "test_accuracy": 0.82, "test_tvd": 0.06, "test_jsd": 0.5}


@pytest.fixture
def folder(tmp_path):
    # 0.001 is 5e-4 in the published table.
    return write_family(tmp_path / "runs", lambdas=(0, 0.001, 0.02))


def test_the_published_row_is_that_of_half_the_lambda_with_its_tvd_doubled(folder, tmp_path):
    table = tables(table_5, load_study([folder]), tmp_path / "out")["wiegreffe-pinter-table-5"]
    row = table.set_index("lambda").loc[0.001]
    assert row["lambda as published"] == 0.0005
    assert (row["published f1"], row["published jsd"]) == (0.828, 0.1)
    assert row["published tvd doubled"] == pytest.approx(2 * 0.031)
    assert row["tvd low"] < row["tvd"] < row["tvd high"]
    assert row["jsd low"] < row["jsd"] < row["jsd high"]
    assert row["f1 low"] < row["f1"] < row["f1 high"]
    assert table.set_index("lambda")["published f1"].tolist() == [0.816, 0.828, 0.821]


def test_an_adversary_is_compared_with_its_base_and_with_the_search_per_text_on_the_same_texts(
    folder, tmp_path
):
    study = load_study([folder])
    table = tables(table_5, study, tmp_path / "out")["wiegreffe-pinter-table-5"]
    row = table.set_index("lambda").loc[0.02]
    (family,), _ = families(study)
    by_text = per_instance(family).jsd.value[0]
    trained = divergence(family.pairs(family.adversaries[2])).jsd.value[0]
    expected = ttest_1samp(by_text - trained, 0).confidence_interval(0.95)
    assert row["by text jsd"] == pytest.approx(by_text.mean())
    assert row["by text less"] == pytest.approx((by_text - trained).mean())
    assert row["by text less low"] == pytest.approx(expected.low)
    right = [
        (file.table["label"] == file.table["predicted"]).to_numpy(float)
        for file in (*family.files, *family.adversaries[2].files)
    ]
    lost = (right[0] + right[1]) / 2 - right[2]
    expected = ttest_1samp(lost, 0).confidence_interval(0.95)
    assert row["accuracy lost"] == pytest.approx(lost.mean())
    assert row["accuracy lost high"] == pytest.approx(expected.high)


def test_pairs_of_adversary_and_base_are_the_unit_of_intervals(tmp_path):
    """Three adversaries, each of a base of its own; the search by text for each base."""
    folder = write_family(tmp_path / "runs", lambdas=(0.02,), seeds=(2, 3), perturbed=False)
    for seed in (2, 3):
        base = folder / f"seed_{seed}"
        given = adversary_config(base, 0.02, corpus="sst", seed=seed)
        rows = text_rows(0.3 * seed, 0.2, seed=10 + seed)
        write_model(folder / f"adversary_of_{seed}.parquet", rows, given)
    for seed in (1, 2, 3):
        write_perturbed(folder, name="base" if seed == 1 else f"seed_{seed}", seed=seed)
    study = load_study([folder])
    (row,) = tables(table_5, study, tmp_path / "out")["wiegreffe-pinter-table-5"].to_dict("records")
    assert (row["seeds"], row["bases"]) == (3, 3)
    files = {
        name: pandas.read_parquet(folder / f"{name}.parquet")
        for name in ("base", "seed_2", "seed_3", "adversary_0", "adversary_of_2", "adversary_of_3")
    }
    pairs = [
        ("base", "adversary_0"),
        ("seed_2", "adversary_of_2"),
        ("seed_3", "adversary_of_3"),
    ]
    tvd, lost = [], []
    for base, other in ((files[one], files[two]) for one, two in pairs):
        tvd.append([abs(a[0] - b[0]) for a, b in zip(base["probs"], other["probs"])])
        right = [(file["label"] == file["predicted"]).to_numpy(float) for file in (base, other)]
        lost.append(right[0] - right[1])
    # A distance is never below 0, whatever the texts.
    for name, values, least in (("tvd", tvd, 0.0), ("accuracy lost", lost, -1.0)):
        expected = intervals(numpy.array([values]))
        assert row[name] == pytest.approx(numpy.mean(values), abs=1e-6)
        assert row[f"{name} low"] == pytest.approx(max(expected.low[0], least), abs=1e-6)
        assert row[f"{name} high"] == pytest.approx(expected.high[0], abs=1e-6)
    (family,), _ = families(study)
    less = (
        per_instance(family).jsd.value - divergence(family.pairs(family.adversaries[0])).jsd.value
    )
    expected = intervals(less[None])
    assert row["by text less"] == pytest.approx(less.mean())
    assert row["by text less high"] == pytest.approx(expected.high[0])


def test_other_corpora_and_models_have_nothing_published(tmp_path):
    write_family(tmp_path / "runs", corpus="mine")
    study = load_study([tmp_path / "runs"])
    table = tables(table_5, study, tmp_path / "out")["wiegreffe-pinter-table-5"]
    assert table["published f1"].isna().all() and table["f1"].notna().all()


def test_runs_without_attributions_have_what_they_reported(folder, tmp_path):
    given = adversary_config(folder / "base", 0.2, corpus="sst")
    run = write_training(tmp_path / "elsewhere", given, REPORTED)
    # This one has an attribution file too, and counts once.
    known = adversary_config(folder / "base", 0.001, corpus="sst")
    same = write_training(folder / "adversary_1", known, REPORTED)
    study = load_study([folder, run, same])
    table = tables(table_5, study, tmp_path / "out")["wiegreffe-pinter-table-5"]
    assert table["from"].tolist() == ["texts"] * 3 + ["metrics"]
    row = table.iloc[3]
    assert (row["f1"], row["tvd"], row["jsd"]) == (0.8, 0.06, 0.5)
    assert numpy.isnan(row["f1 low"]) and row["published jsd"] == 0.653


def test_table_4_has_the_best_f1_among_those_far_away(tmp_path):
    runs = [
        write_training(
            tmp_path / str(position),
            adversary_config("b", lambda_, corpus="sst"),
            {"test_f1": f1, "test_tvd": 0.1, "test_jsd": jsd},
        )
        for position, (lambda_, f1, jsd) in enumerate(
            [(0, 0.9, 0.1), (0.001, 0.8, 0.41), (0.01, 0.85, 0.5), (0.1, 0.7, 0.6)]
        )
    ]
    study = load_study(runs)
    (row,) = tables(table_4, study, tmp_path / "out")["wiegreffe-pinter-table-4"].to_dict("records")
    assert (row["lambda"], row["f1"], row["jsd"]) == (0.01, 0.85, 0.5)
    # By the same rule the published one is that of 5.25e-4.
    assert (row["published f1"], row["published jsd"]) == (0.823, 0.514)
    with pytest.raises(AnalysisError, match="a JSD above 0.4"):
        table_4(load_study(runs[:1]), None)


def test_texts_without_labels_have_distances_and_no_f1(tmp_path):
    for name, moved, given in (
        ("base", 0.0, config(corpus="sst")),
        ("far", 1.0, adversary_config(tmp_path / "base", 0.01, corpus="sst")),
    ):
        rows = [{**row, "label": None} for row in text_rows(moved)]
        write_model(tmp_path / f"{name}.parquet", rows, given)
    study = load_study([tmp_path])
    table = tables(table_5, study, tmp_path / "out")["wiegreffe-pinter-table-5"]
    assert table["f1"].isna().all() and table["jsd"].notna().all()
    with pytest.raises(AnalysisError, match="an adversary with an F1"):
        table_4(study, None)


def test_without_adversaries_the_sentence_says_what_it_takes(tmp_path):
    path = write_model(tmp_path / "base.parquet", text_rows(), config())
    for fill in (table_5, table_4, meister_table_5, plane):
        with pytest.raises(AnalysisError, match="it takes adversaries"):
            fill(load_study([path]), None)


def test_the_plane_has_one_panel_per_class_and_marks_for_other_models(
    folder, tmp_path, monkeypatch
):
    drawn = []
    monkeypatch.setattr(
        "analysis.papers.wiegreffe_pinter.adversary_plane.planes",
        lambda *given: drawn.append(given),
    )
    monkeypatch.setattr("analysis.output.Output.figure", lambda self, *given: None)
    study = load_study([folder])
    convexities = tables(plane, study, tmp_path / "out")["wiegreffe-pinter-convexity"]
    ((panels, *_),) = drawn
    assert [panel.title for panel in panels] == ["overall", "predicted 0", "predicted 1"]
    overall = panels[0]
    assert overall.curves["adversaries"].labels == ["0", "0.001", "0.02"]
    assert set(overall.marks) == {"other seeds", "uniform", "adversary for each text"}
    assert len(overall.published["published (TVD doubled)"].up) == 16
    assert not panels[1].published
    # Adversaries were made to move attention before the output.
    row = convexities.set_index("predicted").loc["overall"]
    assert row["convexity low"] > 0 and row["n"] == 40


def test_the_marks_of_the_plane_are_a_table_too(tmp_path):
    folder = write_family(tmp_path / "family", seeds=(2, 3))
    found = tables(plane, load_study([folder]), tmp_path / "out")["wiegreffe-pinter-beside"]
    rows = found[found["predicted"] == "overall"].set_index("other")
    base, second = (pandas.read_parquet(folder / f"{name}.parquet") for name in ("base", "seed_2"))
    apart = [abs(one[0] - other[0]) for one, other in zip(base["probs"], second["probs"])]
    assert rows.loc["seed 2", "tvd"] == pytest.approx(numpy.mean(apart), abs=1e-6)
    together = rows.loc["all 2 other seeds"]
    assert together["seeds"] == 2
    for name in ("tvd", "jsd"):
        each = rows.loc[["seed 2", "seed 3"], name]
        assert together[name] == pytest.approx(each.mean())
    assert {"uniform", "adversary for each text"} <= set(rows.index)
    assert found.groupby("other")["n"].sum().eq(2 * 40).all()


def test_runs_alone_have_a_plane_too(tmp_path):
    runs = [
        write_training(tmp_path / f"{x}", adversary_config("b", x, corpus="sst"), REPORTED)
        for x in (0, 0.01)
    ]
    found = entries(plane, load_study(runs), tmp_path / "out")
    assert list(found) == ["wiegreffe-pinter-plane-runs"]


def test_a_base_has_a_curve_of_the_adversaries_that_all_bases_have(tmp_path):
    folder = write_family(tmp_path / "runs", lambdas=(0, 0.001, 0.02, 0.5), seeds=(2, 3))
    (family,), _ = families(load_study([folder]))
    assert [len(curve) for curve in curves_of_bases(family, False)] == [4]
    for seed in (2, 3):
        for position, lambda_ in enumerate((0, 0.001, 0.02)):
            given = adversary_config(folder / f"seed_{seed}", lambda_, corpus="sst", seed=seed)
            rows = text_rows(0.2 + 0.3 * position, 0.1 + 0.2 * position, seed=10 * seed)
            write_model(folder / f"{lambda_}_{seed}.parquet", rows, given)
    (family,), _ = families(load_study([folder]))
    curves = curves_of_bases(family, False)
    assert [len(curve) for curve in curves] == [3, 3, 3] and not curves_of_bases(family, True)
    pairs = family.pairs(family.adversaries[1])
    (second,) = [pair for pair in pairs if pair[0].model.seed == 2]
    assert (curves[1][1].tvd.value == divergence([second]).tvd.value).all()
    # The one of a single base is in no curve, and a mark of its own.
    assert [lambda_ for lambda_, _ in moved_by_adversaries(family)[False]] == [0, 0.001, 0.02]
    (alone,) = moved_by_fewer(family)
    assert len(alone.predicted) == 1
