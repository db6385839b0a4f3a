"""What of the log is shown, where, and to whom."""

import io
import logging
import os
import sys

import pytest
from allennlp.common.logging import prepare_global_logging

from attention_explain.commands.startup import global_options
from attention_explain.output import for_people, log_next_to


@pytest.fixture(autouse=True)
def handlers(monkeypatch):
    """Leaves the root logger as it was."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    # AllenNLP's `evaluate` turns these off for good, and may have run in this process.
    for name, *_ in LINES:
        monkeypatch.setattr(logging.getLogger(name), "disabled", False)
    yield
    for handler in root.handlers:
        if handler not in before:
            handler.close()
    root.handlers[:] = before
    root.setLevel(level)


LINES = [
    ("attention_explain.data", logging.INFO, "3 texts dropped", True),
    ("allennlp.common.params", logging.INFO, "model.type = lstm", False),
    ("allennlp.nn.initializers", logging.INFO, "using their default initialization", False),
    ("allennlp.common.params", logging.WARNING, "careful", True),
    ("allennlp.training.gradient_descent_trainer", logging.INFO, "Epoch 0/2", True),
    ("allennlp.training.gradient_descent_trainer", logging.INFO, "Worker 0 memory", False),
    ("allennlp.training.gradient_descent_trainer", logging.WARNING, "patience low", True),
    (
        "allennlp.training.gradient_descent_trainer",
        logging.WARNING,
        "You provided a validation dataset but patience was set to None, meaning",
        False,
    ),
    ("allennlp.training.callbacks.console_logger", logging.INFO, "loss | 0.5 | 0.6", True),
    ("allennlp.training.callbacks.console_logger", logging.INFO, "tensor([1, 2])", False),
]


@pytest.mark.parametrize("who", [global_options.PEOPLE, "all"])
def test_people_are_shown_what_they_need_and_the_file_has_everything(tmp_path, monkeypatch, who):
    monkeypatch.setenv(global_options.LOG_VARIABLE, who)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    prepare_global_logging(tmp_path)
    for name, level, message, _ in LINES:
        logging.getLogger(name).log(level, message)
    shown, log = sys.stdout.getvalue(), (tmp_path / "out.log").read_text()
    for name, _, message, needed in LINES:
        assert (message in shown) == (needed or who == "all"), name
        assert message in log
    if who == global_options.PEOPLE:
        assert "\nwarning: careful\n" in shown and shown.startswith("3 texts dropped\n")


def test_errors_are_shown_once_on_stderr(tmp_path, monkeypatch):
    monkeypatch.setenv(global_options.LOG_VARIABLE, global_options.PEOPLE)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    prepare_global_logging(tmp_path)
    logging.getLogger("allennlp").error("it broke")
    assert sys.stderr.getvalue() == "error: it broke\n" and sys.stdout.getvalue() == ""


def test_a_log_outlives_the_stream_it_began_with(tmp_path, monkeypatch):
    first, second = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", first)
    prepare_global_logging(tmp_path)
    first.close()
    monkeypatch.setattr(sys, "stdout", second)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    logging.getLogger("allennlp").warning("still here")
    assert "still here" in second.getvalue()
    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize("who, kept", [(global_options.PEOPLE, True), ("all", False)])
def test_the_whole_log_lies_next_to_the_output(tmp_path, monkeypatch, who, kept):
    monkeypatch.setenv(global_options.LOG_VARIABLE, who)
    output = tmp_path / "made later" / "x.parquet"
    with log_next_to(output):
        output.parent.mkdir()
        logging.getLogger("allennlp").warning("written down")
    logging.getLogger("allennlp").warning("too late")
    log = tmp_path / "made later" / "x.parquet.log"
    assert log.exists() == kept
    assert not kept or ("written down" in log.read_text() and "too late" not in log.read_text())


def test_a_log_replaces_no_file_of_the_user(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(global_options.LOG_VARIABLE, global_options.PEOPLE)
    notes = tmp_path / "x.parquet.log"
    notes.write_text("my notes")
    for message in ("first", "second"):
        with log_next_to(tmp_path / "x.parquet"):
            logging.getLogger("allennlp").warning(message)
    assert notes.read_text() == "my notes"
    log = tmp_path / "x.parquet.2.log"
    lines = log.read_text().splitlines()
    assert len(lines) == 3 and lines[1].endswith("first") and lines[2].endswith("second")
    assert {path.name for path in tmp_path.iterdir()} == {notes.name, log.name}
    assert f"complete log: {log}" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line", ["--verbose train c -s r", "train c --verbose -s r", "train c -s r"]
)
def test_verbose_stands_anywhere_and_comes_to_no_parser(monkeypatch, line):
    for name in (global_options.LOG_VARIABLE, *global_options.ALLENNLP_VARIABLES):
        # Set first, so that it is restored afterwards.
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(sys, "argv", ["allennlp", *line.split()])
    global_options.take_options()
    global_options.log_for_people_by_default()
    assert sys.argv == ["allennlp", "train", "c", "-s", "r"]
    assert for_people() == ("--verbose" not in line)
    assert os.environ[global_options.LOG_VARIABLE]


def test_a_message_about_data_is_shown_once(tmp_path, monkeypatch):
    """`allennlp verdict` reads the same data for each of its files."""
    monkeypatch.setenv(global_options.LOG_VARIABLE, global_options.PEOPLE)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    prepare_global_logging(tmp_path)
    for _ in range(2):
        logging.getLogger("attention_explain.data").warning("texts contain HTML tags")
        logging.getLogger("attention_explain.training").warning("an epoch failed")
    assert sys.stdout.getvalue().count("texts contain HTML tags") == 1
    assert sys.stdout.getvalue().count("an epoch failed") == 2
    assert (tmp_path / "out.log").read_text().count("texts contain HTML tags") == 2
