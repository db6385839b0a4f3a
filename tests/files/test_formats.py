"""The formats of the output files are defined once, in `attention_explain/files`."""

import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attention_explain.files import attributions, faithfulness, perturbations
from attention_explain.files.tables import METADATA
from attention_explain.interpret.interpreter import INTERPRETERS
from tests.commands_run import PROJECT

FORMATS = {module.__name__: module.FORMAT for module in (attributions, perturbations, faithfulness)}


def sources():
    for package in ("attention_explain", "analysis"):
        yield from (PROJECT / package).rglob("*.py")


@pytest.mark.parametrize("module", FORMATS)
def test_the_key_of_a_format_is_written_once(module):
    literal = re.compile(rf"b\"{re.escape(FORMATS[module].key.decode())}\"")
    files = [path for path in sources() if literal.search(path.read_text(encoding="utf-8"))]
    assert files == [PROJECT / Path(*module.split(".")).with_suffix(".py")]


def test_a_new_column_is_written_read_and_reserved_from_its_declaration(monkeypatch):
    """A column takes its declaration here, and `explainer.py`, which sets the value."""
    names = {field.name for field in dataclasses.fields(attributions.ExplainedText)}
    assert set(attributions.OPTIONAL_COLUMNS) <= names & set(INTERPRETERS.reserved)
    monkeypatch.setitem(attributions.OPTIONAL_COLUMNS, "heard", attributions.MARKS)
    text = attributions.ExplainedText(["a"], "0", ["0"], [1.0], id="1")
    text.heard = [1]
    columns = attributions.columns(text, [{}])
    (record,) = attributions.records(text, columns)
    assert "heard" in columns.names and record["heard"] == [1]
    metadata = {"interpreters": {}, "labels": ["0"], "target": None, "config": {}, "skipped": {}}
    assert attributions.attributes(record, metadata)["heard"] == [1]


def test_a_measurement_has_an_attribute_for_each_column():
    names = [field.name for field in dataclasses.fields(faithfulness.Measurement)]
    assert faithfulness.COLUMNS.names == ["id", "label", "predicted", *names]


@pytest.mark.parametrize("module", FORMATS)
def test_metadata_of_one_format_do_not_hide_those_of_all(module):
    assert not METADATA.keys() & {*FORMATS[module].metadata, *FORMATS[module].described}


def test_the_formats_load_neither_torch_nor_allennlp():
    modules = ", ".join([*FORMATS, "attention_explain.costs", "attention_explain.defaults"])
    code = f"import sys, {modules}; sys.exit(', '.join({{'torch', 'allennlp'}} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True)
    assert result.stderr.strip() == b""
