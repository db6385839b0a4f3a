"""Plausibility and faithfulness of the same methods, joined by the weights of the model."""

import pytest

from analysis.__main__ import main
from analysis.papers.faithfulness import joined, method_rows
from analysis.papers.shared.study_files import load_study
from tests.analysis.attribution_files import config, random_rows, write_attributions
from tests.analysis.faithfulness.faithfulness_files import TRUTH, judged_rows, write_faithfulness

METHODS = list(TRUTH)


@pytest.fixture
def folder(tmp_path):
    for seed in (1, 2, 3):
        weights = {"weights_sha256": f"seed {seed}", "target": None}
        rows = random_rows(20, METHODS, seed, rationale=True)
        given = config(seed)
        write_attributions(tmp_path / f"a{seed}.parquet", rows, METHODS, given, **weights)
        judged = judged_rows(20, seed=seed)
        write_faithfulness(tmp_path / f"f{seed}.parquet", judged, seed, given, **weights)
    return tmp_path


def test_each_method_has_a_score_on_both_axes(folder):
    ((explained, judged),) = joined(load_study([folder]))
    rows = {row["method"]: row for row in method_rows(explained, judged)}
    assert set(rows) == set(METHODS)
    for method, position in TRUTH.items():
        assert rows[method]["faithful"] == pytest.approx(position, abs=0.1)
        assert rows[method]["plausible low"] <= rows[method]["plausible"]
        assert 0 < rows[method]["plausible by chance"] < 1


def test_files_of_other_weights_are_not_joined(folder):
    for seed in (1, 2, 3):
        write_faithfulness(
            folder / f"f{seed}.parquet", judged_rows(20), seed, weights_sha256=f"other {seed}"
        )
    assert joined(load_study([folder])) == []


def test_the_command(folder, tmp_path, capsys):
    out = tmp_path / "out"
    arguments = ["table", "faithfulness-plausibility", str(folder), "-o", str(out)]
    assert main(arguments) == 0
    assert (out / "faithfulness-plausibility.csv").exists()
    assert (out / "faithfulness-plausibility-plane.svg").exists()
    for file in folder.glob("a*.parquet"):
        file.unlink()
    assert main(arguments) != 0
    assert "rationales" in capsys.readouterr().err
