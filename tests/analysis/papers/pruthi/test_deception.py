"""Deceptive models: accuracy and mass by strength, from what runs report."""

import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.papers.pruthi import deception, rows_of
from analysis.papers.shared.study_files import StudyFiles, load_study
from analysis.report.page import report
from tests.analysis.attribution_files import config
from tests.analysis.papers.families import write_training
from tests.analysis.papers.written import entries


def run(folder, strength, accuracy, mass, seed=1, epochs=8, dev=0.5):
    callback = {"type": "deceptive_attention", "strength": strength}
    trainer = {"callbacks": [callback], "num_epochs": epochs}
    given = config(seed, corpus="pronoun", trainer=trainer)
    metrics = {"test_accuracy": accuracy, "test_impermissible_mass": mass}
    metrics["best_validation_accuracy"] = dev
    return write_training(folder / f"{strength}_{seed}_{epochs}", given, metrics)


@pytest.fixture
def study(tmp_path):
    runs = [
        run(tmp_path, 1, 0.94, 0.02),
        run(tmp_path, 0, 0.98, 0.9),
        run(tmp_path, 0, 1.0, 0.8, seed=2),
        write_training(tmp_path / "other", config(), {"test_accuracy": 0.5}),
    ]
    return load_study(runs)


def test_seeds_are_averaged_and_losses_are_against_strength_0(study):
    table = rows_of(study)
    assert table["strength"].tolist() == [0, 1] and table["seeds"].tolist() == [2, 1]
    assert table["accuracy"].tolist() == pytest.approx([0.99, 0.94])
    assert table["impermissible mass"].tolist() == pytest.approx([0.85, 0.02])
    # By pairs of one seed.
    assert table["accuracy lost"].tolist() == pytest.approx([0, 0.04])
    assert table["mass moved"].tolist() == pytest.approx([0, 0.88])
    assert table["pairs"].tolist() == [2, 1]


def test_without_strength_0_nothing_is_known_to_be_lost(study):
    strong = [run for run in study.runs if run.model.strength == 1]
    assert rows_of(StudyFiles(runs=strong))["accuracy lost"].isna().all()


def test_the_sentence_is_about_the_strongest_penalty(study, tmp_path):
    found = entries(deception, study, tmp_path)["pruthi-deception-0"]["caption"]
    assert "strength 1, 2.0 % of attention" in found and "accuracy is 0.940" in found


def test_the_report_knows_what_runs_reported(study, tmp_path, capsys):
    out = tmp_path / "out"
    runs = [str(run.folder) for run in study.runs]
    assert main(["table", "pruthi", *runs, "-o", str(out)]) == 0
    page = report(out)
    assert all(str(run.path) in page for run in study.runs)
    assert "left out of this report" not in page


def test_models_that_are_not_deceptive_are_not_enough(study):
    with pytest.raises(AnalysisError, match="`deceptive_attention`"):
        rows_of(StudyFiles(runs=[run for run in study.runs if run.model.strength is None]))


def test_ways_of_training_are_judged_each_by_itself(tmp_path):
    runs = [
        run(tmp_path, strength, accuracy, 0.9, epochs=epochs)
        for epochs, accuracies in ((8, (0.99, 0.98)), (20, (0.80, 0.70)))
        for strength, accuracy in zip((0, 1), accuracies, strict=True)
    ]
    table = rows_of(load_study(runs)).set_index(["protocol", "strength"])
    assert table["accuracy lost"]["20 epochs", 1] == pytest.approx(0.1)
    assert table["accuracy lost"]["8 epochs", 1] == pytest.approx(0.01)


def test_pairs_of_one_seed_are_compared(tmp_path):
    runs = [
        run(tmp_path, strength, base - 0.1 * strength, 0.5, seed=seed)
        for seed, base in enumerate((0.7, 0.8, 0.9), 1)
        for strength in (0, 1)
    ]
    row = rows_of(load_study(runs)).iloc[1]
    assert row["accuracy lost"] == pytest.approx(0.1)
    assert row["sd accuracy lost"] == pytest.approx(0, abs=1e-9) and row["sd accuracy"] > 0.09


def test_published_numbers_stand_next_to_models_with_their_scorer(tmp_path):
    attention = {"scorer": "linear", "projection": "softmax"}
    runs = []
    for corpus in ("sst-wiki", "other"):
        trainer = {"callbacks": [{"type": "deceptive_attention", "strength": 0.1}]}
        given = config(1, corpus=corpus, trainer=trainer)
        given["model"]["attention"] = attention
        metrics = {"test_accuracy": 0.6, "test_impermissible_mass": 0.01}
        runs.append(write_training(tmp_path / corpus, given, metrics))
    table = rows_of(load_study(runs)).set_index("corpus")
    assert table["paper accuracy"]["sst-wiki"] == pytest.approx(0.606)
    assert table["reproduction impermissible mass"]["sst-wiki"] == pytest.approx(0.0099)
    assert table["paper accuracy"].isna()["other"]
