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
    assert table["accuracy lost"].tolist() == pytest.approx([0, 0.05])


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


def test_the_way_of_training_is_chosen_by_the_honest_model_on_dev(tmp_path):
    runs = [
        run(tmp_path, 0, 0.99, 0.9, dev=0.7),
        run(tmp_path, 1, 0.98, 0.1, dev=0.99),
        run(tmp_path, 0, 0.80, 0.9, epochs=20, dev=0.8),
        run(tmp_path, 1, 0.70, 0.1, epochs=20, dev=0.6),
    ]
    table = rows_of(load_study(runs))
    assert dict(zip(table["protocol"], table["chosen"])) == {"8 epochs": "no", "20 epochs": "yes"}
    assert table.set_index(["protocol", "strength"])["accuracy lost"]["20 epochs", 1] == (
        pytest.approx(0.1)
    )


def test_of_ways_that_are_as_good_on_dev_one_is_chosen(tmp_path):
    runs = [
        run(tmp_path, strength, 0.99, mass, epochs=epochs, dev=1.0)
        for epochs in (8, 20)
        for strength, mass in ((0, 0.9), (1, 0.1))
    ]
    table = rows_of(load_study(runs))
    chosen = table[table["chosen"] == "yes"]
    assert chosen["protocol"].nunique() == 1 and len(chosen) == 2
