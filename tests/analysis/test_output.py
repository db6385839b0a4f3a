"""The folder of an analysis: what it lists is there, and what is there is listed."""

import json

import pandas
import pytest
from matplotlib.figure import Figure

from analysis.errors import AnalysisError
from analysis.formats import read_csv, write_csv
from analysis.manifest import MANIFEST
from analysis.output import Output, slug
from analysis.text_files import load_attributions
from tests.analysis.attribution_files import config, random_rows, write_attributions

TABLE = pandas.DataFrame({"method": ["a", "b"], "mean": [0.12345, -0.00001]})


def manifest_of(folder):
    return json.loads((folder / MANIFEST).read_text())


def test_a_table_is_written_whole_for_programs_and_short_for_people(tmp_path):
    output = Output(tmp_path, "agreement")
    output.table("means", TABLE, "The means.", shown=TABLE.head(1))
    output.finish(["command"])
    assert pandas.read_csv(tmp_path / "means.csv").equals(TABLE)
    assert "0.123" in (tmp_path / "means.md").read_text()
    assert "-0.000" not in (tmp_path / "means.tex").read_text()
    (entry,) = manifest_of(tmp_path)["entries"]
    assert entry["columns"] == ["method", "mean"] and entry["section"] == "agreement"


def test_nothing_is_written_before_the_end(tmp_path):
    output = Output(tmp_path / "out", "agreement")
    output.table("means", TABLE, "The means.")
    assert not (tmp_path / "out").exists()


def test_sections_stand_next_to_each_other_and_replace_their_own(tmp_path):
    files = [
        load_attributions(
            write_attributions(tmp_path / f"{seed}.parquet", random_rows(2), config=config(seed))
        )
        for seed in (1, 2, 3)
    ]
    folder = tmp_path / "out"
    for section, name, file in (("one", "old", 0), ("two", "other", 1), ("one", "new", 2)):
        output = Output(folder, section)
        output.table(name, TABLE, "The means.")
        output.figure(f"{name}-figure", Figure(), "Nothing.")
        output.finish([section], [files[file]])
    manifest = manifest_of(folder)
    assert {entry["name"] for entry in manifest["entries"]} == {
        f"{name}{kind}" for name in ("other", "new") for kind in ("", "-figure")
    }
    listed = {name for entry in manifest["entries"] for name in entry["files"].values()}
    assert {path.name for path in folder.iterdir()} == listed | {MANIFEST}
    assert [file["path"] for file in manifest["files"]] == [str(files[n].path) for n in (1, 2)]
    assert set(manifest["commands"]) == {"one", "two"}


def test_a_folder_that_is_none_is_rejected_at_once(tmp_path):
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(AnalysisError, match="file: is a file, and no folder"):
            Output(folder, "agreement").check()
    Output(tmp_path / "new" / "below", "agreement").check()
    (tmp_path / MANIFEST).write_text('{"format": 99}')
    with pytest.raises(AnalysisError, match="manifest.json: has format 99"):
        Output(tmp_path, "agreement").check()


def test_names_that_come_to_the_same_are_files_of_their_own(tmp_path):
    output = Output(tmp_path, "agreement")
    for corpus in ("日本", "中国", "a" * 300):
        output.table(slug("means", corpus), TABLE.assign(corpus=corpus), "The means.")
    output.finish(["command"])
    names = [entry["name"] for entry in manifest_of(tmp_path)["entries"]]
    assert names[:2] == ["means", "means-2"]
    for name, corpus in zip(names, ("日本", "中国", "a" * 300), strict=True):
        assert set(read_csv(tmp_path / f"{name}.csv")["corpus"]) == {corpus}


def test_names_of_files_are_plain():
    assert slug("Agreement", "bilstm (lr 0.1)", "fagin:k=3") == "agreement-bilstm-lr-0.1-fagin-k-3"
    assert slug("20news_sports", "sparsegen(-0.5)") == "20news-sports-sparsegen-0.5"


def test_files_of_the_user_are_not_replaced(tmp_path):
    (tmp_path / "means.md").write_text("my notes")
    output = Output(tmp_path, "agreement")
    output.table("means", TABLE, "The means.")
    with pytest.raises(AnalysisError, match=r"means.md: was not written by `python -m analysis`"):
        output.finish(["command"])
    assert [path.name for path in tmp_path.iterdir()] == ["means.md"]
    assert (tmp_path / "means.md").read_text() == "my notes"


def test_what_a_killed_run_has_written_is_replaced(tmp_path):
    for _ in range(2):
        output = Output(tmp_path, "agreement")
        output.table("means", TABLE, "The means.")
        output.finish(["command"])
        (tmp_path / MANIFEST).unlink()


def test_a_csv_file_replaces_only_a_table_of_the_same_columns(tmp_path):
    path = tmp_path / "table.csv"
    for table in (TABLE, TABLE.head(1)):
        write_csv(table, path)
    path.write_text("my,notes\n")
    with pytest.raises(AnalysisError, match="table.csv: exists, and is not a table"):
        write_csv(TABLE, path)
    assert path.read_text() == "my,notes\n"
