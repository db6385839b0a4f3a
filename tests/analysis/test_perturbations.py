"""Perturbation files: read as they are, and not taken for attribution files."""

import json

import pytest

from analysis.__main__ import main
from analysis.errors import AnalysisError
from analysis.report.page import report
from analysis.text_files import load_attributions, load_perturbations, run_folder
from tests.analysis.attribution_files import random_rows, write_attributions
from tests.analysis.perturbation_files import perturbed_rows, write_perturbations


def test_fields_and_parameters_are_those_of_the_file(tmp_path):
    rows = perturbed_rows(6)
    path = write_perturbations(tmp_path / "p.parquet", rows, parameters={"uniform": {"seed": 3}})
    file = load_perturbations(path)
    assert file.declared["uniform"] == {"parameters": {"seed": 3}}
    assert file.table["uniform.tvd"].tolist() == [row["uniform.tvd"] for row in rows]
    assert file.attention.values[: len(rows[0]["attention"])].tolist() == rows[0]["attention"]
    assert file.model.name == "bilstm tanh softmax"


def test_neither_kind_is_taken_for_the_other(tmp_path):
    perturbed = write_perturbations(tmp_path / "p.parquet", perturbed_rows(3))
    attributed = write_attributions(tmp_path / "a.parquet", random_rows(3))
    with pytest.raises(AnalysisError, match="p.parquet: not an attribution file of `allennlp attr"):
        load_attributions(perturbed)
    with pytest.raises(AnalysisError, match="a.parquet: not a perturbation file of `allennlp pert"):
        load_perturbations(attributed)


def test_a_format_that_is_not_known_is_rejected(tmp_path):
    path = write_perturbations(tmp_path / "p.parquet", perturbed_rows(3), format=2)
    with pytest.raises(AnalysisError, match="p.parquet: has format 2"):
        load_perturbations(path)


def test_a_run_and_its_archive_are_one_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_folder("runs/a") == run_folder(tmp_path / "runs" / "a" / "model.tar.gz")
    assert run_folder("runs/a") != run_folder("runs/b")


def test_the_report_knows_perturbation_files_and_leaves_nothing_out(tmp_path, capsys):
    path = write_perturbations(
        tmp_path / "p.parquet", perturbed_rows(), parameters={"permutation": {"permutations": 10}}
    )
    out = tmp_path / "out"
    assert main(["table", "jain-wallace", str(path), "-o", str(out)]) == 0
    page = report(out)
    (file,) = json.loads((out / "manifest.json").read_text())["files"]
    assert file["path"] == str(path) and file["sha256"] in page
    assert "left out of this report" not in page and f"How {path} was made" in page
    assert page.count("<figure>") == 3
    path.write_bytes(b"other")
    assert "has changed since it was analysed" in report(out)
