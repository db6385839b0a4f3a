"""The end of what a command writes to a terminal or a pipe."""

import multiprocessing
import os
import resource
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from attention_explain import signals
from attention_explain.__main__ import main
from attention_explain.workflow.__main__ import main as workflow
from tests.commands_run import PROJECT, forked_allennlp
from tests.small_archive import small_archive


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run's folder, with texts to predict next to it."""
    folder = small_archive(tmp_path_factory.mktemp("terminal") / "run").parent
    (folder.parent / "texts.jsonl").write_text('{"text": "a b"}\n' * 20)
    return folder


@pytest.mark.parametrize("command", ["attribute", "perturb"])
def test_the_error_is_the_last_line_when_the_disk_is_full(run, tmp_path, command):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Enough for the log and what the command says, and not for what it computes.
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, before[1]))
    try:
        process = forked_allennlp(command, str(run), "test", "-o", "x.parquet", folder=tmp_path)
        process.join()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    said = (tmp_path / "said.txt").read_text().rstrip()
    assert process.exitcode == 2, said
    assert "0%|" in said, "there was no progress bar yet"
    last = said.replace("\r", "\n").splitlines()[-1]
    assert last.startswith("error: x.parquet") and "File too large" in last


def with_a_closed_pipe(function, arguments, folder: Path) -> None:
    """Runs a command whose output nobody reads, to its last flush; its errors go to `errors.txt`."""
    os.chdir(folder)
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, 1)
    with open("errors.txt", "w") as errors:
        os.dup2(errors.fileno(), 2)
    sys.stdout, sys.stderr = (os.fdopen(stream, "w", closefd=False) for stream in (1, 2))
    sys.argv = ["allennlp", *arguments]
    try:
        sys.exit(function())
    finally:
        try:
            sys.stdout.flush()
        except OSError:
            traceback.print_exc()


@pytest.mark.parametrize("texts", [1, 20])
def test_predict_ends_quietly_when_nobody_reads_on(run, tmp_path, texts):
    lines = (run.parent / "texts.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "texts.jsonl").write_text("".join(lines[:texts]))
    arguments = ["predict", str(run), "texts.jsonl", "--predictor", "saliency"]
    assert ended_quietly(main, arguments, tmp_path)


def test_a_plan_ends_quietly_when_nobody_reads_on(tmp_path):
    arguments = ["plan", "pruthi_2020", "--size", "quick"]
    assert ended_quietly(lambda: workflow(arguments), arguments, tmp_path)


def ended_quietly(function, arguments, folder: Path) -> bool:
    fork = multiprocessing.get_context("fork")
    process = fork.Process(target=with_a_closed_pipe, args=(function, arguments, folder))
    process.start()
    process.join()
    said = (folder / "errors.txt").read_text()
    return (process.exitcode, said) == (signals.CLOSED_PIPE_CODE, "")


@pytest.mark.slow
@pytest.mark.parametrize("lines", [1, 3])
def test_predict_into_head(run, lines):
    """As a user types it."""
    command = f"{sys.executable} -m attention_explain.commands.startup predict run texts.jsonl --predictor saliency"
    shown = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"{command} | head -n {lines}"],
        cwd=run.parent,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
    )
    assert (shown.returncode, shown.stderr) == (signals.CLOSED_PIPE_CODE, "")
    assert len(shown.stdout.splitlines()) == lines
