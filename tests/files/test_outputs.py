"""What is written costs no other file."""

import os

import pytest

from attention_explain.files.atomic import OverwriteError, check_outputs, same_file


def test_spellings_and_links_of_one_file_are_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("")
    (tmp_path / "folder").mkdir()
    os.link("data.csv", "hard.csv")
    os.symlink("data.csv", "soft.csv")
    os.symlink(tmp_path, "folder/up")
    for name in ("./data.csv", "folder/../data.csv", "hard.csv", "soft.csv", "folder/up/data.csv"):
        assert same_file(name, tmp_path / "data.csv"), name
    assert not same_file("data.csv", "other.csv")
    # Neither is there yet.
    assert same_file("folder/new.csv", "folder/up/folder/new.csv")
    assert not same_file("new.csv", "folder/new.csv")


@pytest.mark.parametrize(
    "outputs, sentence",
    [
        ({".csv": ["data.csv"]}, "data.csv: is an input; give another name for the output"),
        ({".csv": ["x.parquet"]}, "x.parquet: the output is a csv file; call it *.csv"),
        ({".csv": ["x"]}, "x: the output is a csv file; call it *.csv"),
        ({".csv": ["x.csv", "./x.csv"]}, "./x.csv: two outputs have this name"),
    ],
)
def test_what_would_cost_a_file_is_rejected(tmp_path, monkeypatch, outputs, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("kept")
    with pytest.raises(OverwriteError) as rejected:
        check_outputs(outputs, ["data.csv", "https://example.org/a.csv"])
    assert str(rejected.value).startswith(sentence)


def test_what_costs_nothing_passes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("")
    (tmp_path / "old.csv").write_text("")
    check_outputs({".csv": ["old.csv", "new/x.CSV"], ".html": ["x.html"]}, ["data.csv", "."])
