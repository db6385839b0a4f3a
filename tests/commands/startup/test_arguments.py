"""What `allennlp` says of its arguments alone, and that it says so without torch."""

import sys

import pytest
from allennlp.commands import Subcommand

from tests.commands_run import PROJECT, run

# Prints the exit code of each command line, and what was loaded for it.
SCRIPT = """
import sys
from attention_explain.commands.startup.arguments import answer_at_once
for line in {lines!r}:
    sys.argv = ["allennlp", *line.split()]
    try:
        answer_at_once()
        print("goes on", "torch" in sys.modules, "allennlp" in sys.modules)
    except SystemExit as end:
        print("ends", end.code or 0, "torch" in sys.modules, "allennlp" in sys.modules)
"""


def answers(*lines, folder=PROJECT):
    result = run([sys.executable, "-c", SCRIPT.format(lines=lines)], folder)
    said = [line for line in result.stdout.splitlines() if line.startswith(("ends ", "goes on "))]
    return said, result


def test_help_of_every_command_is_given_without_torch():
    names = Subcommand.list_available()
    assert "attribute" in names and "train" in names
    lines = ["", "--help", "--version", *(f"{name} --help" for name in names)]
    said, result = answers(*lines)
    assert said == ["ends 0 False False"] * len(lines), result.stderr
    for name in names:
        assert f"usage: allennlp {name}" in result.stdout
    # A default that is a number from elsewhere in the project.
    assert "<promise" not in result.stdout


@pytest.mark.parametrize(
    "line, sentence",
    [
        ("no-such-command", "invalid choice: 'no-such-command'"),
        ("train config.json", "required: -s/--serialization-dir"),
        ("attribute run data.jsonl -o x.parquet --limit many", "invalid int value: 'many'"),
    ],
)
def test_mistakes_are_told_without_torch(line, sentence):
    said, result = answers(line)
    assert said == ["ends 2 False False"]
    assert sentence in result.stderr


def test_a_command_without_mistakes_goes_on_with_nothing_half_loaded():
    said, result = answers("train config.json -s run", "attribute run data.jsonl -o x.parquet")
    assert said == ["goes on False False"] * 2, result.stderr
    assert result.stderr == ""


def test_commands_of_other_plugins_are_waited_for(tmp_path):
    (tmp_path / ".allennlp_plugins").write_text("attention_explain\nanother_plugin\n")
    lines = ("", "--help", "command-of-another-plugin", "train --help")
    said, _ = answers(*lines, folder=tmp_path)
    assert said == ["goes on False False"] * 3 + ["ends 0 False False"]
