"""Files of the user are told from those of this program."""

import os

import pytest

from attention_explain.files.atomic import (
    LOG_MARK,
    OverwriteError,
    check_page,
    check_verdict_files,
    log_name,
)
from attention_explain.heatmaps.html_page import document

VERDICT = '{"model": "m", "attention": {}, "questions": [], "methods": []}'


def test_a_log_is_appended_to_and_other_files_are_not(tmp_path):
    output = tmp_path / "x.parquet"
    first, second, third = (
        tmp_path / name for name in ("x.parquet.log", "x.parquet.2.log", "x.parquet.3.log")
    )
    assert log_name(output) == first
    first.write_text(f"{LOG_MARK}\nearlier\n")
    assert log_name(output) == first
    first.write_text("my notes")
    assert log_name(output) == second
    second.mkdir()
    assert log_name(output) == third
    # Reading a pipe would wait for a writer.
    os.mkfifo(third)
    assert log_name(output).name == "x.parquet.4.log"


@pytest.mark.parametrize("name", ["verdict.json", "verdict.md", "verdict.html"])
def test_a_verdict_replaces_only_a_verdict(tmp_path, name):
    check_verdict_files(tmp_path)
    (tmp_path / name).write_text("my notes")
    with pytest.raises(OverwriteError, match=f"{name}: was not written by this program"):
        check_verdict_files(tmp_path)
    (tmp_path / "verdict.json").write_text(VERDICT)
    check_verdict_files(tmp_path)


def test_the_page_of_a_verdict_is_enough_to_know_it(tmp_path):
    (tmp_path / "verdict.md").write_text("# Verdict")
    (tmp_path / "verdict.html").write_text(document("title", "", "<p>body</p>"))
    check_verdict_files(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{}", "{", '{"model": "m"}'])
def test_another_verdict_json_is_no_verdict(tmp_path, content):
    (tmp_path / "verdict.json").write_text(content)
    with pytest.raises(OverwriteError):
        check_verdict_files(tmp_path)


def test_a_page_replaces_only_a_page(tmp_path):
    path = tmp_path / "page.html"
    check_page(path)
    path.write_text("<!doctype html>\n<title>mine</title>")
    with pytest.raises(OverwriteError, match="was not written by this program"):
        check_page(path)
    check_page(path, force=True)
    path.write_text(document("title", "", "<p>body</p>"))
    check_page(path)
