"""Imported before every test: the plugin first, as the `allennlp` command does it."""

import sys

import pytest

import attention_explain.plugin  # noqa: F401
from attention_explain.__main__ import main


@pytest.fixture
def ended(tmp_path, monkeypatch, capsys):
    """
    Runs our `allennlp` in this process, in a folder of its own; its exit code and what it said last:
    all from `error:` on, else a line.
    """

    def run_and_end(*arguments: str):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["allennlp", *arguments])
        # Which would import all of AllenNLP, and find the plugin that is here already.
        monkeypatch.setattr("allennlp.commands.import_plugins", lambda: None)
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr().err.strip()
        start = printed.find("error: ")
        return end.value.code, printed[start:] if start >= 0 else printed.splitlines()[-1]

    return run_and_end
