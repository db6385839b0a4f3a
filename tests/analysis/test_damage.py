"""Tables, manifests and runs that are not what was written are not read, and named."""

import errno
import json

import pandas
import pyarrow
import pyarrow.parquet
import pytest

from analysis.__main__ import main
from analysis.agreement.entries import as_parquet
from analysis.claims.table_rows import read_tables
from analysis.errors import AnalysisError
from analysis.manifest import MANIFEST, read_manifest
from analysis.output import Output
from analysis.runs import load_run
from attention_explain.files.attributions import FORMAT
from attention_explain.files.records import DamagedFileError, write_checksums
from attention_explain.files.tables import read_sealed
from tests.analysis.attribution_files import random_rows, write_attributions

TABLE = pandas.DataFrame({"a": [0.25, 0.5], "b": ["x", "y"]})


@pytest.fixture
def results(tmp_path):
    output = Output(tmp_path / "results", "Any")
    output.table("any", TABLE, "A table.")
    output.finish(["python", "-m", "analysis", "any"])
    return tmp_path / "results"


def test_a_csv_cut_in_half_is_not_judged(results):
    assert read_tables(results, ["any"]).tables["any"].equals(TABLE)
    content = (results / "any.csv").read_text()
    (results / "any.csv").write_text(content[: content.index("0.5")])
    with pytest.raises(AnalysisError, match=r"any.csv: is damaged: it is not what was written"):
        read_tables(results, ["any"])


@pytest.mark.parametrize("command, file", [("claims", None), ("report", "any.json")])
def test_commands_end_in_a_sentence(results, command, file, capsys):
    damaged = results / (file or MANIFEST)
    damaged.write_text(damaged.read_text().replace("0.25", "0.75").replace("A table", "B table"))
    assert main([command, str(results)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {damaged}: is damaged: ") and len(said.splitlines()) == 1


def test_an_older_table_without_a_hash_is_read(results):
    manifest = read_manifest(results)
    del manifest["written"]
    (results / MANIFEST).write_text(json.dumps(manifest))
    (results / "any.csv").write_text("a,b\n1,z\n")
    assert read_tables(results, ["any"]).tables["any"]["b"].tolist() == ["z"]


OTHER_SHAPES = [
    "",
    "{",
    "[]",
    "3",
    "[" * 100000,
    f'{{"format": {"9" * 5000}}}',
    '{"format": 1}',
    '{"format": 1, "entries": {}, "files": [], "commands": {}, "versions": {}}',
    '{"format": 1, "entries": [3], "files": [], "commands": {}, "versions": {}}',
    '{"format": 1, "entries": [], "files": [{"path": 3}], "commands": {}, "versions": {}}',
    '{"format": 1, "entries": [], "files": [], "commands": {"a": 3}, "versions": {}}',
    '{"format": 1, "entries": [], "files": [], "commands": {}, "versions": {}, "written": 3}',
]


@pytest.mark.parametrize("content", OTHER_SHAPES, ids=range(len(OTHER_SHAPES)))
@pytest.mark.parametrize("command", ["claims", "report"])
def test_a_manifest_of_another_shape_is_named(results, command, content, capsys):
    (results / MANIFEST).write_text(content)
    assert main([command, str(results)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {results / MANIFEST}: ") and len(said.splitlines()) == 1


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"title": 3}', "[" * 100000])
def test_an_account_of_another_shape_is_named(results, content, tmp_path, capsys):
    study = results / "study"
    study.mkdir()
    (study / "study.json").write_text(content)
    assert main(["results", str(study), "-o", str(tmp_path / "page.md")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {study / 'study.json'}: is ")


@pytest.mark.parametrize("name", ["config.json", "metrics.json"])
def test_what_a_run_reached_is_what_was_written(tmp_path, name):
    for each in ("config.json", "metrics.json", "model.tar.gz"):
        (tmp_path / each).write_text('{"test_accuracy": 0.5}')
    write_checksums(tmp_path, ["config.json", "metrics.json"])
    (tmp_path / name).write_text('{"test_accuracy": 0.9}')
    with pytest.raises(AnalysisError, match=rf"{name}: is damaged: it is not what was written"):
        load_run(tmp_path)


def test_the_values_of_texts_are_sealed(tmp_path):
    path = tmp_path / "instances.parquet"
    path.write_bytes(as_parquet(TABLE))
    assert read_sealed(path).to_pandas().equals(TABLE)
    other = pyarrow.Table.from_pandas(TABLE.assign(a=[0.25, 0.75]))
    seal = pyarrow.parquet.read_schema(path).metadata
    pyarrow.parquet.write_table(other.replace_schema_metadata(seal), path)
    with pytest.raises(DamagedFileError, match="column 'a' is not what was written"):
        read_sealed(path)


OTHER_METADATA = {
    "no JSON": b"{",
    "deep": b"[" * 100000,
    "long number": b'{"format": ' + b"9" * 5000 + b"}",
    "no text": b"\xff",
    "a list": b"[]",
    "no format": b"{}",
    "no config": b'{"format": 1, "config": 3, "interpreters": {}}',
    "no methods": b'{"format": 1, "config": {}}',
    "methods of another shape": b'{"format": 1, "config": {}, "interpreters": {"attention": 3}}',
    "a method without a column": b'{"format": 1, "config": {}, "interpreters": {"lime": {}}}',
}


@pytest.mark.parametrize("content", OTHER_METADATA.values(), ids=list(OTHER_METADATA))
@pytest.mark.parametrize("command", ["agreement", "table", "causes"])
def test_metadata_of_another_shape_are_named(tmp_path, command, content, capsys):
    """Of a file that somebody else has written, since it has no seal."""
    path = write_attributions(tmp_path / "a.parquet", random_rows(3))
    table = pyarrow.parquet.read_table(path)
    pyarrow.parquet.write_table(table.replace_schema_metadata({FORMAT.key: content}), path)
    paper = ["jain-wallace"] if command == "table" else []
    assert main([command, *paper, str(path), "-o", str(tmp_path / "out.csv")]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"error: {path}: ") and len(said.splitlines()) == 1


def test_a_disk_that_is_full_is_told(results, monkeypatch, capsys):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("analysis.report.page.write_atomic", full)
    assert main(["report", str(results)]) == 2
    assert "cannot be written (No space left on device)" in capsys.readouterr().err
    monkeypatch.setattr("analysis.report.page.report", full)
    assert main(["report", str(results)]) == 2
    assert "error: nothing more can be written (No space left" in capsys.readouterr().err
