"""Curves of models that were trained on less and less, and the area beneath chance."""

import math

import numpy
import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.papers.madsen import complete_curves, racu, recursive_roar
from analysis.papers.shared.study_files import load_study
from tests.analysis.attribution_files import config
from tests.analysis.papers.families import write_training
from tests.analysis.papers.written import entries, tables

# By method, from whole texts to nothing but masks.
CURVES = {
    "random": (0.9, 0.8, 0.7, 0.6, 0.5),
    "lrp": (0.9, 0.5, 0.5, 0.5, 0.5),
    "attention": (0.9, 0.85, 0.8, 0.65, 0.5),
}
SHARES = (0, 0.25, 0.5, 0.75, 1)


def write_run(folder, seed, accuracy, corpus="sst", name="", **erased):
    given = config(seed, corpus=corpus)
    if erased:
        # Each has files and a seed of its own, and is compared all the same.
        given["dataset_reader"]["erased"] = {**erased, "seed": seed, "files": f"{erased}.parquet"}
    path = folder / f"{corpus}-{seed}-{erased.get('by', '')}-{erased.get('share', 0)}{name}"
    return write_training(path, given, {"test_accuracy": accuracy})


def write_curves(folder, seed=1, curves=CURVES, corpus="sst", moved=0.0):
    runs = [
        write_run(folder, seed, curves["random"][0], corpus),
        write_run(folder, seed, curves["random"][-1], corpus, share=1),
    ]
    for by, curve in curves.items():
        for share, accuracy in zip(SHARES[1:-1], curve[1:-1], strict=True):
            change = 0.0 if by == "random" else moved
            runs.append(write_run(folder, seed, accuracy + change, corpus, share=share, by=by))
    return runs


def slow_area(shares, curve):
    """Of a line through the points, in thin slices."""
    middles = (numpy.arange(20000) + 0.5) / 20000
    return numpy.mean(numpy.interp(middles, shares, curve))


def slow_racu(shares, chance, method):
    between = slow_area(shares, chance) - slow_area(shares, method)
    return between / (slow_area(shares, chance) - chance[-1])


@pytest.mark.parametrize("method", CURVES)
def test_racu_is_the_share_of_the_area_beneath_chance(method):
    found = racu(SHARES, CURVES["random"], CURVES[method])
    assert found == pytest.approx(slow_racu(SHARES, CURVES["random"], CURVES[method]), abs=1e-6)


def test_racu_by_hand():
    # Chance: 4 trapezoids of width .25 above .5; lrp has the half of the first.
    assert racu(SHARES, CURVES["random"], CURVES["lrp"]) == pytest.approx((0.2 - 0.05) / 0.2)
    assert racu(SHARES, CURVES["random"], CURVES["random"]) == 0
    # Steps need not be equal.
    uneven, chance, method = (0, 0.1, 1), (0.9, 0.8, 0.5), (0.9, 0.6, 0.5)
    assert racu(uneven, chance, method) == pytest.approx(
        slow_racu(uneven, chance, method), abs=1e-6
    )


def test_it_is_not_clipped_and_nothing_where_chance_is_no_better_than_masks():
    assert racu((0, 0.5, 1), (0.6, 0.6, 0.5), (0.6, 0.1, 0.5)) == pytest.approx(0.25 / 0.075)
    assert math.isnan(racu((0, 0.5, 1), (0.5, 0.5, 0.5), (0.5, 0.4, 0.5)))


def test_a_seed_is_compared_with_chance_of_the_same_seed(tmp_path):
    lower = {by: tuple(value - 0.1 for value in curve) for by, curve in CURVES.items()}
    runs = write_curves(tmp_path) + write_curves(tmp_path, 2, lower)
    (model,) = complete_curves(load_study(runs).runs)
    assert (model.corpus, model.model, model.shares) == ("sst", "bilstm tanh softmax", SHARES)
    assert list(model.curves)[-1] == "random" and model.curves["lrp"].shape == (2, 5)
    assert model.racu["lrp"] == pytest.approx([0.75, 0.75])
    assert set(model.racu) == {"lrp", "attention"} and not model.left_out


def test_intervals_are_over_seeds_where_there_are_three(tmp_path):
    runs = [
        run
        for seed, moved in ((1, 0.0), (2, 0.02), (3, -0.02))
        for run in write_curves(tmp_path / "runs", seed, moved=moved)
    ]
    runs += write_curves(tmp_path / "runs", corpus="imdb")
    found = tables(recursive_roar, load_study(runs), tmp_path / "out")
    accuracy = found["recursive-roar-accuracy"].set_index(["corpus", "method", "share"])
    row = accuracy.loc["sst", "lrp", 0.5]
    # Student's, with 2 degrees of freedom.
    half = 4.302653 * 0.02 / math.sqrt(3)
    assert row["accuracy low"] == pytest.approx(0.5 - half, abs=1e-6)
    assert row["accuracy high"] == pytest.approx(0.5 + half, abs=1e-6)
    assert math.isnan(accuracy.loc["imdb", "lrp", 0.5]["accuracy low"])
    areas = found["recursive-roar-racu"]
    assert list(areas["method"]) == ["lrp", "attention"] * 2
    assert areas["RACU"][0] == pytest.approx(0.75) and areas["RACU low"][0] < 0.75
    assert "RACU clipped" not in areas


def test_what_clipping_changes_is_named(tmp_path):
    odd = {"random": (0.7, 0.6, 0.6, 0.6, 0.5), "lrp": (0.7, 0.2, 0.2, 0.2, 0.5)}
    study = load_study(write_curves(tmp_path / "runs", curves=odd))
    areas = tables(recursive_roar, study, tmp_path / "out")["recursive-roar-racu"]
    assert areas["RACU"][0] > 1 and areas["RACU clipped"][0] == 1
    noted = entries(recursive_roar, study, tmp_path / "again")["recursive-roar-racu"]["note"]
    assert "clip it to [-1, 1]" in noted


def test_a_sentence_a_corpus_with_the_best_first(tmp_path):
    runs = write_curves(tmp_path / "runs") + write_curves(tmp_path / "runs", corpus="imdb")
    found = entries(recursive_roar, load_study(runs), tmp_path)
    said = [found[f"recursive-roar-{position}"]["caption"] for position in (0, 1)]
    assert said[0].startswith("sst, bilstm tanh softmax: ") and said[1].startswith("imdb, ")
    assert "a RACU of 0.750 (lrp), -0.250 (attention)" in said[0]


def test_a_chain_that_lacks_a_run_is_left_out_and_named(tmp_path):
    runs = write_curves(tmp_path)
    lacking = [run for run in runs if not run.name.endswith("attention-0.5")]
    assert len(lacking) == len(runs) - 1
    (model,) = complete_curves(load_study(lacking).runs)
    assert set(model.racu) == {"lrp"}
    assert model.left_out == ("sst, bilstm tanh softmax, attention: some of its runs are missing",)
    unpaired = [*runs, write_run(tmp_path, 2, 0.4, share=0.25, by="lrp")]
    (model,) = complete_curves(load_study(unpaired).runs)
    assert model.curves["lrp"].shape == (1, 5)
    assert model.left_out[0].endswith("seed 2: there is no whole curve by chance")


def test_without_chance_or_without_everything_masked_there_is_nothing(tmp_path):
    runs = write_curves(tmp_path)
    for ending in ("random-0.5", "--1", "-1--0"):
        left = [run for run in runs if not run.name.endswith(ending)]
        assert len(left) == len(runs) - 1
        with pytest.raises(AnalysisError, match="reader's option `erased`"):
            complete_curves(load_study(left).runs)


def test_two_runs_of_one_kind_are_one_too_many(tmp_path):
    runs = [
        *write_curves(tmp_path),
        write_run(tmp_path, 1, 0.4, share=0.25, by="lrp", name="again"),
    ]
    with pytest.raises(AnalysisError, match="again: is a second run of the same seed"):
        complete_curves(load_study(runs).runs)


def test_it_is_asked_for_by_its_name(tmp_path, capsys):
    runs = list(map(str, write_curves(tmp_path / "runs")))
    assert main(["table", "recursive-roar", *runs, "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out" / "recursive-roar-figure.svg").is_file()
