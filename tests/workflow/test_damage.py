"""A damaged or emptied output counts as not done: it is named, and made again."""

import errno
import os
from pathlib import Path

import pandas
import pyarrow
import pytest

from analysis.output import Output
from attention_explain.files.tables import write_sealed
from attention_explain.workflow.__main__ import main as started
from attention_explain.workflow.progress import FAILED, Clock, Events
from attention_explain.workflow.run import run
from attention_explain.workflow.run_step import clear_damage, main
from attention_explain.workflow.steps import Step
from tests.workflow.fake_steps import (
    fake_files,
    fake_plan,
    fake_step,
    fake_table,
    fake_training,
)


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


ATTACKS = [flipped, halved, emptied]


@pytest.fixture
def trained(tmp_path) -> Step:
    folder = tmp_path / "run"
    (folder / "vocabulary").mkdir(parents=True)
    files = ("model.tar.gz", "metrics.json", "config.json", "best.th", "vocabulary/tokens.txt")
    for name in files:
        (folder / name).write_bytes(b"as it was written")
    step = fake_training(folder)
    step.record(1)
    assert step.is_done and not step.damage and step.times == (1, 0)
    return step


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", ["best.th", "vocabulary/tokens.txt", "metrics.json"])
def test_a_run_with_a_damaged_file_is_not_done(trained, name, attack):
    attack(Path(trained.folder) / name)
    assert not trained.is_done
    (sentence,) = trained.damage.values()
    assert sentence == f"{Path(trained.folder) / name}: is damaged: it is not what was written"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "{}",
        "[]",
        "null",
        '"text"',
        '{"files": 3}',
        '{"files": {"best.th": 3}}',
        "[" * 99999,
    ],
)
def test_a_record_that_is_none_is_not_done(trained, content):
    (Path(trained.folder) / "finished.json").write_text(content)
    assert not trained.is_done and trained.times is None
    (sentence,) = trained.damage.values()
    assert "is damaged" in sentence and trained.folder in sentence


def test_every_byte_of_a_record_counts(trained):
    path = Path(trained.folder) / "finished.json"
    path.write_text(path.read_text().replace('"seconds": 1', '"seconds": 7'))
    assert trained.times is None and not trained.is_done


def test_a_run_that_was_copied_is_still_done(trained):
    """All dates are other ones; what is in the files counts."""
    for path in Path(trained.folder).rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes())
    assert trained.is_done


@pytest.mark.parametrize("recorded", [True, False])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_damaged_parquet_file_is_missing_and_made_again(tmp_path, attack, recorded):
    one, two = tmp_path / "runs" / "one.parquet", tmp_path / "runs" / "two.parquet"
    one.parent.mkdir()
    for path in (one, two):
        write_sealed(pyarrow.table({"a": [1.0, 2.0]}), path)
    step = fake_files([one, two])
    if recorded:
        step.record(1)
    assert step.is_done
    attack(one)
    assert step.missing == (str(one),) and list(step.damage) == [str(one)]


@pytest.fixture
def table(tmp_path) -> Step:
    """A step that makes the tables of one section, in a folder with another."""
    folder = tmp_path / "results"
    command = ("-m", "analysis", "table", "any", "-o", str(folder))
    step = fake_table(folder, "any", command)
    for section, words in (("Any", command), ("Other", ("-m", "analysis", "other"))):
        output = Output(folder, section)
        output.table(section.lower(), pandas.DataFrame({"a": [1, 2]}), "A table.")
        output.finish(["python", *words])
    step.record(1)
    assert step.is_done
    return step


@pytest.mark.parametrize("attack", ATTACKS)
def test_tables_with_a_damaged_csv_are_not_done(table, attack):
    attack(Path(table.folder) / "other.csv")
    assert table.is_done
    attack(Path(table.folder) / "any.csv")
    assert not table.is_done
    assert f"{Path(table.folder) / 'any.csv'}: is damaged" in table.damage[table.folder]


@pytest.mark.parametrize(
    "content", [None, "", "{}", "[]", '{"format": 1}', '{"format": 1, "entries": 3}']
)
def test_a_damaged_manifest_is_begun_again(table, content, tmp_path):
    manifest = Path(table.folder) / "manifest.json"
    flipped(manifest) if content is None else manifest.write_text(content)
    assert not table.is_done and table.folder in table.damage[table.folder]
    clear_damage(table, tmp_path / "log")
    assert not manifest.exists()
    assert (tmp_path / "log").read_text().endswith("; it is made again\n")


def test_a_table_in_one_file_is_made_again_and_said(tmp_path, capsys):
    step = fake_step(
        tmp_path / "results",
        "one",
        code="import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('whole')",
    )
    plan = fake_plan(tmp_path, [step])
    written = tmp_path / "runs" / "studies" / "fake" / "plan.json"
    written.parent.mkdir(parents=True)
    written.write_text(plan.to_json())
    assert main(written, "one") == 0 and step.is_done
    file = tmp_path / "results" / "one.csv"
    halved(file)
    # An engine that does nothing: what is said before it starts is meant here.
    assert run(plan, "workstation", 1, 0, snakemake="true") == 1
    said = capsys.readouterr().out
    assert f"{file}: is damaged: it is not what was written; it is made again" in said
    assert "1 steps;" in said and "done already" not in said
    assert main(written, "one") == 0
    assert file.read_text() == "whole" and step.is_done


@pytest.mark.parametrize("content", ['"text"', "{}", "[]", "", '{"seconds": "text"}', "[" * 99999])
def test_a_clock_that_is_broken_starts_again_and_says_so(tmp_path, content, capsys):
    (tmp_path / "elapsed.json").write_text(content)
    assert Clock(tmp_path, []).earlier == 0
    assert f"{tmp_path / 'elapsed.json'}: is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "[]", '"text"', "{}"])
def test_an_event_that_is_broken_has_still_happened(tmp_path, content):
    events = Events(tmp_path)
    step = fake_step(tmp_path, "one")
    events.failed(step, 3)
    assert events.of(FAILED) == {"one": {"code": 3, "why": "exit code 3"}}
    (tmp_path / FAILED / "one").write_text(content)
    assert events.of(FAILED) == {"one": {}}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_takes_no_more_ends_in_a_sentence(tmp_path, monkeypatch, capsys, number):
    def full(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(
        "attention_explain.workflow.__main__._plan", lambda _: fake_plan(tmp_path, [])
    )
    monkeypatch.setattr("attention_explain.workflow.run.write_atomic", full)
    assert started(["run", "any"]) == 2
    said = f"error: nothing more can be written ({os.strerror(number)})\n"
    assert capsys.readouterr().err == said


def test_a_file_where_runs_are_to_be_ends_in_a_sentence(tmp_path, monkeypatch, capsys):
    (tmp_path / "runs").touch()
    monkeypatch.setattr(
        "attention_explain.workflow.__main__._plan", lambda _: fake_plan(tmp_path, [])
    )
    assert started(["run", "any"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "runs" in said and len(said.splitlines()) == 1


def test_a_step_on_a_full_disk_fails_in_a_sentence(tmp_path, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    plan = tmp_path / "plan.json"
    plan.write_text(fake_plan(tmp_path, [fake_step(tmp_path / "results", "one")]).to_json())
    monkeypatch.setattr("attention_explain.workflow.progress.write_record", full)
    assert main(plan, "one") == 2
    said = "error: nothing more can be written (No space left on device)\n"
    assert capsys.readouterr().err == said
