"""A step is done once, however often it is requested, and what is half done is never taken for done."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Tuple

import pandas
import pytest

from analysis.output import Output
from attention_explain.workflow.progress import DONE, FAILED, Events, last_error
from attention_explain.workflow.run_step import GPUS_VARIABLE, locked, main, visible_gpu
from attention_explain.workflow.steps import Step
from tests.commands_run import PROJECT
from tests.workflow.fake_steps import FAILS, fake_plan, fake_step, fake_table, fake_training
from tests.workflow.waiting import PATIENCE, wait_for


def written(folder: Path, *steps: Step) -> Path:
    plan = folder / "state" / "plan.json"
    plan.parent.mkdir(exist_ok=True)
    plan.write_text(fake_plan(folder, steps).to_json())
    return plan


def test_a_step_is_done_and_not_done_again(tmp_path):
    step = fake_step(tmp_path / "results", "one")
    plan = written(tmp_path, step)
    assert main(plan, "one") == 0
    assert step.is_done
    assert main(plan, "one") == 0
    assert (tmp_path / "results" / "one.csv").read_text() == "x"
    assert list(Events(plan.parent).of(DONE)) == ["one"]


def test_a_failed_step_says_why(tmp_path):
    step = fake_step(tmp_path / "results", "one", code=FAILS)
    plan = written(tmp_path, step)
    assert main(plan, "one") == 1
    assert not step.is_done
    (failed,) = Events(plan.parent).of(FAILED).values()
    assert failed["why"].startswith("ValueError: no luck with ")


def test_a_step_that_ends_well_after_all_has_not_failed(tmp_path):
    plan = written(tmp_path, fake_step(tmp_path / "results", "one", code=FAILS))
    main(plan, "one")
    plan = written(tmp_path, fake_step(tmp_path / "results", "one"))
    assert main(plan, "one") == 0
    assert not Events(plan.parent).of(FAILED)


def test_two_at_once_do_a_step_once(tmp_path):
    code = "import time; time.sleep(.5); import pathlib, sys; pathlib.Path(sys.argv[1]).open('a').write('x')"
    plan = written(tmp_path, fake_step(tmp_path / "results", "one", code=code))
    command = [sys.executable, "-m", "attention_explain.workflow.run_step", str(plan), "one"]
    both = [subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(timeout=PATIENCE) for process in both] == [0, 0]
    assert (tmp_path / "results" / "one.csv").read_text() == "x"


def long_step(folder: Path) -> Tuple[Path, subprocess.Popen, int]:
    """Its plan, the process that does it, and what that has started and waits for."""
    code = (
        "import os, pathlib, sys, time;"
        "pathlib.Path(sys.argv[1] + '.pid').write_text(str(os.getpid())); time.sleep(600)"
    )
    plan = written(folder, fake_step(folder / "results", "one", code=code))
    pid = folder / "results" / "one.csv.pid"
    process = subprocess.Popen(
        [sys.executable, "-m", "attention_explain.workflow.run_step", str(plan), "one"], cwd=PROJECT
    )
    wait_for(lambda: pid.exists() and pid.read_text())
    return plan, process, int(pid.read_text())


def test_a_killed_step_holds_its_lock_as_long_as_what_it_started_lives(tmp_path):
    """Else two trainings would write into one folder."""
    _, process, pid = long_step(tmp_path)
    process.kill()
    process.wait()
    attempt = [
        sys.executable,
        "-c",
        "from attention_explain.workflow.run_step import locked\nfrom pathlib import Path\nimport sys\nwith locked(Path(sys.argv[1]), ['one']): pass",
    ]
    waiting = subprocess.Popen(
        [*attempt, str(tmp_path / "runs" / "locks")], cwd=PROJECT, stderr=subprocess.PIPE
    )
    assert b"waiting for another process" in waiting.stderr.readline()
    os.kill(pid, signal.SIGKILL)
    assert waiting.wait(timeout=PATIENCE) == 0


def test_a_killed_step_keeps_its_gpu_as_long_as_what_it_started_lives(tmp_path, monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setenv(GPUS_VARIABLE, "2")
    _, process, pid = long_step(tmp_path)
    process.kill()
    process.wait()
    locks = tmp_path / "runs" / "locks"
    with visible_gpu(locks) as (seen, _):
        assert seen["CUDA_VISIBLE_DEVICES"] == "1"
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: free_gpu(locks) == "0")


def free_gpu(locks: Path) -> str:
    with visible_gpu(locks) as (seen, _):
        return seen["CUDA_VISIBLE_DEVICES"]


def test_the_end_of_a_step_ends_what_it_started(tmp_path):
    plan, process, pid = long_step(tmp_path)
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    (failed,) = Events(plan.parent).of(FAILED).values()
    assert failed["why"] == f"killed by signal {signal.SIGTERM}"


def trained(folder: Path) -> Step:
    folder.mkdir()
    (folder / "model.tar.gz").write_bytes(b"a" * 100)
    (folder / "metrics.json").write_text("{}")
    return fake_training(folder)


def test_an_archive_without_the_word_that_it_is_finished_is_not_done(tmp_path):
    step = trained(tmp_path / "run")
    assert not step.is_done
    step.record(1)
    assert step.is_done


@pytest.mark.parametrize("name", ["model.tar.gz", "metrics.json", "finished.json"])
def test_a_run_that_has_lost_a_file_or_half_of_it_is_not_done(name, tmp_path):
    step = trained(tmp_path / "run")
    step.record(1)
    content = (tmp_path / "run" / name).read_bytes()
    (tmp_path / "run" / name).write_bytes(content[: len(content) // 2])
    assert not step.is_done
    (tmp_path / "run" / name).unlink()
    assert not step.is_done


def test_tables_that_have_lost_a_file_are_not_done(tmp_path):
    command = ("-m", "analysis", "table", "any", "-o", str(tmp_path))
    step = fake_table(tmp_path, "x", command)
    output = Output(tmp_path, "Any")
    output.table("any", pandas.DataFrame({"a": [1]}), "A table.")
    output.finish(["python", *command])
    step.record(1)
    assert step.is_done
    (tmp_path / "any.csv").unlink()
    assert not step.is_done


def test_locks_of_different_names_do_not_wait(tmp_path):
    with locked(tmp_path, ["one"]), locked(tmp_path, ["other"]):
        pass


def test_the_reason_is_the_last_line_that_names_an_error(tmp_path):
    log = tmp_path / "log"
    log.write_text("Traceback\nKeyError: 'a'\n\nTraceback\nerror: data: no such file\nbye\n")
    assert last_error(log, 2) == "data: no such file"
    log.write_text("one\ntwo\n")
    assert last_error(log, 2) == "two"
    assert last_error(tmp_path / "none", 3) == "exit code 3"
    assert last_error(log, 128 + 9) == "killed by signal 9"
