"""A study that is killed at random moments, all its processes at once, goes on to the same tables."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.faults.commands import leftovers
from tests.workflow.studies import tiny
from tests.workflow.test_real_studies import finish, start, tables

pytestmark = pytest.mark.faults
KILLS = 8
# That number, one after another, before it may end.
CHAIN = 4
TRIES = KILLS


def killed_after(seconds: float, study: Path, folder: Path) -> bool:
    """False if it ended before."""
    process = start(study, folder)
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True
    assert process.returncode == 0, said
    return False


def test_a_study_killed_at_random_moments(tmp_path, figures):
    began = time.perf_counter()
    finish(start(tiny(tmp_path / "unbroken" / "studies"), tmp_path / "unbroken"))
    seconds = time.perf_counter() - began
    unbroken = tables(tmp_path / "unbroken")
    assert "models.csv" in unbroken
    draw = random.Random("study")
    kills = same = 0
    for number in range(TRIES):
        folder = tmp_path / str(number)
        study = tiny(folder / "studies")
        for _ in range(CHAIN):
            if not killed_after(draw.uniform(0, seconds), study, folder):
                break
            kills += 1
        finish(start(study, folder))
        assert not leftovers(folder / "runs") + leftovers(folder / "results")
        assert tables(folder) == unbroken
        same += 1
        if kills >= KILLS:
            break
    assert kills >= KILLS
    went_on = f"the same tables {same}"
    row = {"command": "study", "killed": "at random", "kills": kills, "went on with": went_on}
    figures.setdefault("kills", []).append(row)
