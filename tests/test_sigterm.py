"""SIGTERM ends every command with a word and exit code 143, whatever it is doing."""

import re
import signal
import time
from contextlib import suppress

import pytest

from analysis import __main__ as analysis
from attention_explain.workflow import __main__ as workflow
from tests.commands_run import forked_allennlp
from tests.small_archive import small_archive
from tests.test_plugin import config
from tests.workflow.waiting import PATIENCE

CODE = 128 + signal.SIGTERM
COMMANDS = {
    "train": ["config.json", "-s", "new"],
    "evaluate": ["run", "test", "--overrides", '{"data_loader": {"batch_size": 8}}'],
    "predict": ["run", "texts.jsonl", "--predictor", "saliency"],
    "attribute": ["run", "test", "-o", "new.parquet"],
    "perturb": ["run", "test", "-o", "new.parquet"],
    "faithfulness": ["run", "scores.parquet", "-o", "new.parquet"],
    "verdict": ["run", "test", "-o", "new"],
}


@pytest.fixture(autouse=True)
def usual_handler():
    """As a process starts; and as it was, for the tests to come."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


def terminated(*arguments, **options):
    """Gets the signal where every error is caught, as much code does."""
    with suppress(Exception):
        signal.raise_signal(signal.SIGTERM)
    raise RuntimeError("went on after a SIGTERM")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all that the commands read."""
    folder = tmp_path_factory.mktemp("sigterm")
    small_archive(folder / "run")
    config(folder)
    (folder / "texts.jsonl").write_text('{"text": "a b"}\n')
    arguments = ("attribute", "run", "test", "-o", "scores.parquet", "--interpreters", "gradient")
    command = forked_allennlp(*arguments, folder=folder)
    command.join()
    assert command.exitcode == 0, (folder / "said.txt").read_text()
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ends_at_sigterm(ended, folder, tmp_path, monkeypatch, command):
    for path in folder.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.setattr("attention_explain.models.AttentionClassifier.embed", terminated)
    code, last_line = ended(command, *COMMANDS[command])
    assert code == CODE and re.match("stopped(;|$)", last_line)


def test_explore_ends_at_sigterm(folder, tmp_path):
    command = forked_allennlp("explore", str(folder / "run"), "--port", "0", folder=tmp_path)
    said = tmp_path / "said.txt"
    until = time.monotonic() + PATIENCE
    while not said.exists() or not re.search("open http", said.read_text()):
        assert command.is_alive() and time.monotonic() < until, said.read_text()
        time.sleep(0.05)
    command.terminate()
    command.join(PATIENCE)
    assert command.exitcode == CODE
    assert said.read_text().splitlines()[-1] == "stopped"


def test_analysis_ends_at_sigterm(monkeypatch, capsys):
    monkeypatch.setattr(analysis, "parse", terminated)
    assert analysis.main(["causes", "scores.parquet"]) == CODE
    assert capsys.readouterr().err == "\nstopped\n"


def test_workflow_ends_at_sigterm(monkeypatch, capsys):
    monkeypatch.setattr(workflow, "load_study", terminated)
    assert workflow.main(["plan", "attention_debate"]) == CODE
    assert capsys.readouterr().err == "\nstopped\n"
