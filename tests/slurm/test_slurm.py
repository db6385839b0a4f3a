"""A study on a real Slurm: a job is killed in the middle, and the study finishes all the same."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.commands_run import PROJECT
from tests.workflow.studies import engine, tiny

# `make test-slurm` starts the cluster, and names it here.
PROFILE = "ATTENTION_EXPLAIN_SLURM_PROFILE"
pytestmark = pytest.mark.slurm


def slurm(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def wait_for(condition, process: subprocess.Popen, seconds: float = 300) -> None:
    until = time.time() + seconds
    while not condition():
        assert process.poll() is None and time.time() < until, process.communicate()
        time.sleep(0.05)


def test_a_job_is_killed_and_the_study_finishes(tmp_path):
    study = tiny(tmp_path / "studies", epochs=60, encoders="['affine', 'cnn']")
    command = [
        sys.executable,
        "-m",
        "attention_explain.workflow",
        "run",
        str(study),
        "--snakemake",
        engine(),
    ]
    process = subprocess.Popen(
        [*command, "--profile", os.environ[PROFILE]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    checkpoints = "runs/planted-easy-affine-*/training_state_e*"
    wait_for(lambda: any(tmp_path.glob(checkpoints)), process)
    (folder,) = tmp_path.glob("runs/planted-easy-affine-*")
    # Slurm may take longer to find the job than the rest of the training takes.
    freeze(folder.name)
    job = job_of(folder.name)
    slurm("scancel", "--signal=KILL", "--full", job)
    said, _ = process.communicate(timeout=900)
    assert process.returncode == 0, said
    (log,) = tmp_path.glob("runs/studies/tiny/logs/train-*affine*.log")
    assert "--recover" in log.read_text()
    # It is there only if the recovered training may differ from an unbroken one.
    assert not (folder / "recovered").exists()
    assert (tmp_path / "results" / "tiny" / "report.html").is_file()
    # Every step was a job, and the killed one was two.
    jobs = slurm("squeue", "--states=all", "--noheader", "--format=%i %T").split("\n")
    states = [line.split()[1] for line in jobs if line]
    steps = len(list(tmp_path.glob("runs/studies/tiny/done/*")))
    assert states.count("COMPLETED") == steps
    assert len(states) == steps + 1


def freeze(run: str) -> None:
    """Halts the process that trains it, until it is killed."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            arguments = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if "train" in arguments and any(run in each for each in arguments):
                os.kill(int(process.name), signal.SIGSTOP)
                found.append(process.name)
    assert found, f"the training of {run} has ended before it could be killed"


def job_of(run: str) -> str:
    """The running job whose step trains it."""
    for line in slurm("squeue", "--noheader", "--states=R", "--format=%i").split():
        about = slurm("scontrol", "show", "job", line)
        if run in about or run in Path(f"/proc/{_pid(line)}/cmdline").read_text():
            return line
    raise AssertionError(f"no job trains {run}")


def _pid(job: str) -> str:
    return slurm("scontrol", "listpids", job).split("\n")[1].split()[0]
