"""The table of trained models, and run folders that are not finished."""

import json
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

from analysis.__main__ import main
from analysis.commands.models import models_table
from analysis.errors import AnalysisError
from analysis.runs import load_run
from tests.commands_run import PROJECT

CONFIG = {
    "pytorch_seed": 3,
    "model": {
        "encoder": {"type": "lstm", "bidirectional": True},
        "attention": {"scorer": "scaled_dot", "projection": {"type": "sparsegen", "lambda_": 0.5}},
    },
}
METRICS = {"test_accuracy": 0.8125, "best_validation_accuracy": 0.7, "best_validation_auc": 0.9}


def write_run(folder: Path, config=CONFIG, metrics=METRICS) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "metrics.json").write_text(json.dumps(metrics))
    (folder / "model.tar.gz").touch()
    return folder


def test_a_row_says_what_was_trained_and_what_it_reached(tmp_path):
    (row,) = models_table([load_run(write_run(tmp_path / "mine"))]).to_dict("records")
    assert (row["model"], row["encoder"], row["seed"]) == ("mine", "bilstm", 3)
    assert (row["scorer"], row["projection"]) == ("scaled_dot", "sparsegen")
    # The test split where it was evaluated, dev otherwise.
    assert row["accuracy"] == 0.8125 and row["AUC"] == 0.9
    assert pandas.isna(row["F1"])


def test_numbers_of_dev_are_told_from_those_of_test(tmp_path):
    only_dev = {"best_validation_accuracy": 0.7}
    tested, untested = (
        load_run(write_run(tmp_path / name, metrics=metrics))
        for name, metrics in (("tested", METRICS), ("untested", only_dev))
    )
    assert "split" not in models_table([tested])
    assert list(models_table([tested, untested])["split"]) == ["test", "dev"]


def test_a_training_that_failed_hides_no_other(tmp_path, capsys):
    write_run(tmp_path / "whole")
    write_run(tmp_path / "failed")
    (tmp_path / "failed" / "metrics.json").unlink()
    both = [str(tmp_path / name) for name in ("failed", "whole")]
    assert main(["models", *both]) == 0
    printed = capsys.readouterr()
    assert "whole" in printed.out and "failed" not in printed.out
    assert f"left out: {both[0]}: not a finished training run, metrics.json missing" in printed.err
    assert main(["models", both[0]]) == 2


def test_a_training_that_was_interrupted_and_went_on_is_marked(tmp_path):
    whole, broken = (load_run(write_run(tmp_path / name)) for name in ("whole", "broken"))
    assert "recovered" not in models_table([whole, broken])
    (tmp_path / "broken" / "recovered").touch()
    assert list(models_table([whole, broken])["recovered"]) == ["no", "yes"]


def test_defaults_and_uniform_attention_are_named(tmp_path):
    model = {"encoder": {"type": "affine"}}
    run = load_run(write_run(tmp_path / "plain", {"model": model}))
    found = run.model
    assert (found.encoder, found.scorer, found.projection) == ("affine", "additive", "softmax")
    uniform = {**model, "attention": {"scorer": "additive", "projection": "uniform"}}
    assert load_run(write_run(tmp_path / "uniform", {"model": uniform})).model.scorer == "-"


def test_models_of_pairs_are_in_the_table(tmp_path):
    pairs = {"model": {**CONFIG["model"], "type": "attention_pair_classifier"}}
    (row,) = models_table([load_run(write_run(tmp_path / "pairs", pairs))]).to_dict("records")
    assert (row["model"], row["encoder"], row["accuracy"]) == ("pairs", "bilstm", 0.8125)


def test_a_fine_tuned_transformer_is_in_this_table_and_in_none_of_a_paper(tmp_path):
    model = {"type": "transformer_classifier", "model_name": "weights/tiny-bert"}
    folder = write_run(tmp_path / "tuned", {"model": model})
    output = tmp_path / "models.csv"
    assert main(["models", str(folder), str(write_run(tmp_path / "mine")), "-o", str(output)]) == 0
    row, _ = pandas.read_csv(output).to_dict("records")
    assert (row["model"], row["encoder"], row["accuracy"]) == ("tuned", "tiny-bert", 0.8125)
    assert pandas.isna(row["entropy"])
    with pytest.raises(AnalysisError, match="tuned: its model is a transformer_classifier"):
        load_run(folder)


@pytest.mark.parametrize("model", [{"type": "basic_classifier"}, "from_archive", None])
def test_another_model_is_rejected_in_a_sentence(tmp_path, capsys, model):
    assert main(["models", str(write_run(tmp_path / "other", {"model": model}))]) == 2
    said = capsys.readouterr().err
    assert (
        said.startswith(f"error: {tmp_path / 'other'}: its model is a ") and said.count("\n") == 1
    )


def test_ctrl_c_ends_in_a_word(monkeypatch, capsys):
    def pressed(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("analysis.commands.models.load_runs", pressed)
    assert main(["models", "any"]) == 130
    assert capsys.readouterr().err == "\nstopped\n"


def test_the_command_prints_and_writes_the_table(tmp_path, capsys):
    run = write_run(tmp_path / "mine")
    output = tmp_path / "tables" / "models.csv"
    assert main(["models", str(run), "-o", str(output)]) == 0
    assert "0.812" in capsys.readouterr().out
    assert pandas.read_csv(output)["accuracy"].tolist() == [0.8125]


@pytest.mark.parametrize("missing", ["metrics.json", "model.tar.gz"])
def test_an_unfinished_run_is_rejected(tmp_path, capsys, missing):
    run = write_run(tmp_path / "killed")
    (run / missing).unlink()
    assert main(["models", str(run)]) == 2
    assert f"not a finished training run, {missing} missing" in capsys.readouterr().err


def test_broken_and_absent_folders_are_rejected(tmp_path):
    with pytest.raises(AnalysisError, match="no such run folder"):
        load_run(tmp_path / "absent")
    run = write_run(tmp_path / "broken")
    (run / "metrics.json").write_text("{")
    with pytest.raises(AnalysisError, match="metrics.json: not JSON"):
        load_run(run)


def test_analysis_imports_neither_torch_nor_the_plugin():
    code = (
        "import sys, analysis.__main__, analysis.commands\n"
        "found = {'torch', 'allennlp', 'attention_explain.plugin'} & set(sys.modules)\n"
        "sys.exit(', '.join(found) or 0)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
