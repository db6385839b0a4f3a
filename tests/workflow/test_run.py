"""The engine itself, on steps that take no time: what fails stops only what needs it."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from attention_explain.workflow.__main__ import main
from attention_explain.workflow.run import run
from attention_explain.workflow.study import StudyError
from tests.commands_run import PROJECT
from tests.workflow.fake_steps import FAILS, fake_plan, fake_step
from tests.workflow.studies import engine
from tests.workflow.waiting import PATIENCE


def run_here(folder: Path, *steps) -> int:
    return run(fake_plan(folder, steps), "workstation", 2, 0, engine())


def content(folder: Path):
    return {path.stem: path.read_text() for path in (folder / "results").glob("*.csv")}


def test_what_fails_stops_what_needs_it_and_nothing_else(tmp_path, capsys):
    results = tmp_path / "results"
    good = fake_step(results, "good")
    bad = fake_step(results, "bad", code=FAILS)
    child = fake_step(results, "child-of-bad", ["bad"])
    other = fake_step(results, "child-of-good", ["good"])
    assert run_here(tmp_path, good, bad, child, other) == 1
    assert content(tmp_path) == {"good": "x", "child-of-good": "x"}
    said = capsys.readouterr().out
    assert "[2 of 4]" in said
    assert "failed: table bad: ValueError: no luck with" in said
    assert str(tmp_path / "runs" / "studies" / "fake" / "logs" / "bad.log") in said
    assert "not done because of that: table child-of-bad" in said

    # With the cause fixed, the same command does what is left, and nothing else.
    assert run_here(tmp_path, good, fake_step(results, "bad"), child, other) == 0
    assert content(tmp_path) == dict.fromkeys(["good", "child-of-good", "bad", "child-of-bad"], "x")
    assert "2 done already" in capsys.readouterr().out

    assert run_here(tmp_path, good, fake_step(results, "bad"), child, other) == 0
    assert set(content(tmp_path).values()) == {"x"}


def test_an_engine_that_is_not_there_is_named(tmp_path):
    plan = fake_plan(tmp_path, [fake_step(tmp_path / "results", "one")])
    with pytest.raises(StudyError, match="no-such-engine: no such command"):
        run(plan, "workstation", 1, 0, "no-such-engine")


def test_folders_may_be_called_anything(tmp_path):
    """What YAML, the shell or Snakemake would take for something else."""
    folder = tmp_path / "runs #1: {a} (b) + 'c' \"d\" $e"
    folder.mkdir()
    step = fake_step(folder / "results", "one")
    plan = replace(fake_plan(folder, [step]), results=folder / "results" / "my (study) + {x}: #2")
    assert run(plan, "workstation", 1, 0, engine()) == 0
    assert content(folder) == {"one": "x"}


@pytest.mark.parametrize(
    "option, number, least",
    [("cores", 0, 1), ("cores", -2, 1), ("gpus", -1, 0), ("limit", 0, 1), ("seeds", 0, 1)],
)
@pytest.mark.parametrize("command", ["run", "plan"])
def test_numbers_of_nothing_are_rejected_before_anything_starts(
    tmp_path, monkeypatch, capsys, command, option, number, least
):
    monkeypatch.chdir(tmp_path)
    assert main([command, "none such", f"--{option}", str(number)]) == 2
    said = f"error: --{option} is {number}, but must be {least} or more\n"
    assert capsys.readouterr().err == said and not list(tmp_path.iterdir())


def test_an_unknown_profile_is_rejected(tmp_path):
    plan = fake_plan(tmp_path, [fake_step(tmp_path / "results", "one")])
    with pytest.raises(StudyError, match="moon: no such profile; there are slurm, workstation"):
        run(plan, "moon", 1, 0, "snakemake")


@pytest.mark.parametrize("position", ["results", "runs"])
def test_a_position_that_cannot_be_written_is_named_before_any_work(position, tmp_path):
    (tmp_path / position).write_text("a file, and no folder")
    plan = fake_plan(tmp_path, [])
    with pytest.raises(StudyError, match=f"{position}/.*: cannot be written into"):
        run(plan, "workstation", 1, 0, "snakemake")


def is_alive(pid: int) -> bool:
    """A process that has ended and that nobody has asked about is not."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().split()[2] != "Z"


# Deaf to the keyboard, as what a shell starts in the background is.
DEAF = "trap '' INT\nsleep 1000 &\necho $! > $PWD/pid\nwait\nsleep 1000\n"
# Waits for itself, whatever it is told.
STUCK = "sleep 1000 &\ntrap '' INT TERM\nmkfifo pipe\necho $! > $PWD/pid\nread -r nothing < pipe\n"
IMPATIENT = (
    "import sys, attention_explain.workflow.run, attention_explain.workflow.__main__; attention_explain.workflow.run.PATIENCE = 0.1; "
    "sys.exit(attention_explain.workflow.__main__.main(sys.argv[1:]))"
)


@pytest.mark.parametrize(
    "engine, number, to_all",
    [
        pytest.param(DEAF, signal.SIGTERM, False, id="deaf, told by us"),
        pytest.param(DEAF, signal.SIGHUP, True, id="deaf, all told"),
        pytest.param(STUCK, signal.SIGHUP, False, id="stuck, told by us"),
        pytest.param(STUCK, signal.SIGTERM, True, id="stuck, all told"),
    ],
)
def test_told_to_end_it_ends_the_engine_and_its_steps(engine, number, to_all, tmp_path):
    script = tmp_path / "engine"
    script.write_text(f"#!/bin/sh\n{engine}")
    script.chmod(0o700)
    study = ["run", "pruthi_2020", "--size", "quick", "--snakemake", str(script)]
    process = subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, *study],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + PATIENCE
        while not (tmp_path / "pid").is_file() or not (tmp_path / "pid").read_text():
            assert process.poll() is None and time.monotonic() < until
            time.sleep(0.05)
        step = int((tmp_path / "pid").read_text())
        if to_all:
            # As Slurm and systemd do it.
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=PATIENCE)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 128 + number
    assert said.count("the same command goes on from here") == 1
    assert not is_alive(step)
