"""`python -m analysis claims` puts the outcomes next to the tables they rest on."""

import pandas

from analysis.__main__ import main
from analysis.manifest import read_manifest
from tests.analysis.papers.jain_wallace.claim_cases import pairs


def test_verdicts_stand_next_to_the_tables(tmp_path, capsys):
    pandas.DataFrame(pairs(0.3, 0.6)).to_csv(tmp_path / "jain-wallace-correlations.csv")
    assert main(["claims", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "Jain & Wallace 2019\n  holds            A BiLSTM's attention agrees" in said
    table = pandas.read_csv(tmp_path / "claims.csv")
    assert list(table["outcome"]) == ["holds", "holds"]
    (entry,) = read_manifest(tmp_path)["entries"]
    assert entry["name"] == "claims" and "rule" not in entry["columns"]


def test_a_folder_without_such_tables_is_left_alone(tmp_path, capsys):
    assert main(["claims", str(tmp_path)]) == 0
    assert "has no table that a claim rests on" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []
