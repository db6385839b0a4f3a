"""Commands that write a file reject one that they read, and one that is called otherwise."""

import pytest

from analysis.__main__ import main


@pytest.mark.parametrize(
    "line, sentence",
    [
        (
            "causes given.csv -o given.csv",
            "given.csv: is an input; give another name for the output",
        ),
        ("causes given.csv -o x.parquet", "the output is a csv file; call it *.csv"),
        ("models run -o run", "run: the output is a csv file"),
        ("results study -o study.html", "study.html: the output is a md file; call it *.md"),
        ("agreement given.csv -o run", "run: is the folder of a training run; write elsewhere"),
    ],
)
def test_what_would_cost_a_file_is_rejected(tmp_path, monkeypatch, capsys, line, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given.csv").write_text("kept")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.json").write_text("{}")
    assert main(line.split()) == 2
    assert sentence in capsys.readouterr().err
    assert (tmp_path / "given.csv").read_text() == "kept"
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["config.json"]
