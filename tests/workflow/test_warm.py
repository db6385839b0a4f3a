"""A command that a warm process became is like one that was started for it alone."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Mapping

import pytest

from attention_explain.workflow.warm import VARIABLE, start_warm, warm_process
from tests.commands_run import PROJECT
from tests.workflow.waiting import wait_for

# Notes in a file what it was given, and ends as it is told.
TELLS = """
import json, os, sys, time
told = {"arguments": sys.argv[1:], "folder": os.getcwd(), "said": os.environ.get("SAID"),
        "name": __name__, "imported": "colorsys" in sys.modules, "pid": os.getpid()}
print("to the log")
print("an error", file=sys.stderr)
with open(sys.argv[1] + ".part", "w") as file:
    json.dump(told, file)
os.rename(sys.argv[1] + ".part", sys.argv[1])
time.sleep(float(sys.argv[2]))
sys.exit(int(sys.argv[3]))
"""


@pytest.fixture(scope="module")
def modules() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tells.py").write_text(TELLS)
        yield Path(folder)


@contextmanager
def warm(modules: Path) -> Iterator[Mapping[str, str]]:
    """The environment of steps that can ask one."""
    path = os.pathsep.join([str(PROJECT), str(modules)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    with warm_process(environment, ["colorsys"]) as told:
        yield {**environment, **told}


@pytest.fixture(scope="module")
def environment(modules) -> Iterator[Mapping[str, str]]:
    with warm(modules) as told:
        yield told


def begin(environment: Mapping[str, str], folder: Path, seconds=0.0, code=0, held=()):
    arguments = ["-m", "tells", str(folder / "told"), str(seconds), str(code)]
    with open(folder / "log", "a") as log:
        return start_warm(arguments, environment, log.fileno(), held)


def told(folder: Path) -> dict:
    wait_for((folder / "told").exists)
    return json.loads((folder / "told").read_text())


def test_it_has_arguments_environment_folder_log_and_exit_code(environment, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = begin({**environment, "SAID": "a word"}, tmp_path, code=7)
    assert command.wait() == 7
    assert told(tmp_path) == {
        "arguments": [str(tmp_path / "told"), "0.0", "7"],
        "folder": str(tmp_path),
        "said": "a word",
        "name": "__main__",
        "imported": True,
        "pid": command._pid,
    }
    assert sorted((tmp_path / "log").read_text().splitlines()) == ["an error", "to the log"]


def test_one_knows_nothing_of_the_one_before(environment, tmp_path):
    for name, said in (("a", "one"), ("b", None)):
        folder = tmp_path / name
        folder.mkdir()
        spoken = {"SAID": said} if said else {}
        assert begin({**environment, **spoken}, folder).wait() == 0
        assert told(folder)["said"] == said
    assert told(tmp_path / "a")["pid"] != told(tmp_path / "b")["pid"]


def test_a_signal_reaches_it_and_is_told(environment, tmp_path):
    command = begin(environment, tmp_path, seconds=600)
    told(tmp_path)
    command.send_signal(signal.SIGTERM)
    assert command.wait() == -signal.SIGTERM
    # What is gone can be told nothing more.
    command.send_signal(signal.SIGTERM)


def test_it_goes_on_holding_locks_when_its_client_is_killed(environment, tmp_path):
    asks = (
        "import fcntl, sys, os\n"
        "from pathlib import Path\n"
        "from tests.workflow.test_warm import begin\n"
        "lock = open(sys.argv[1] + '/lock', 'a')\n"
        "fcntl.flock(lock, fcntl.LOCK_EX)\n"
        "begin(os.environ, Path(sys.argv[1]), 600, held=[lock.fileno()]).wait()\n"
    )
    asker = subprocess.Popen([sys.executable, "-c", asks, str(tmp_path)], env=dict(environment))
    pid = told(tmp_path)["pid"]
    asker.kill()
    asker.wait()
    with open(tmp_path / "lock", "a") as lock:
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.kill(pid, signal.SIGKILL)
        # Waits until it is free.
        fcntl.flock(lock, fcntl.LOCK_EX)


def test_it_outlives_the_warm_process(modules, tmp_path):
    with warm(modules) as environment:
        command = begin(environment, tmp_path, seconds=1, code=3)
        told(tmp_path)
    assert command.wait() == 3
    assert begin(environment, tmp_path) is None


def test_the_warm_process_ends_with_the_process_that_started_it(modules, tmp_path):
    starts = (
        "import os, sys\n"
        "from attention_explain.workflow.warm import VARIABLE, warm_process\n"
        "with warm_process(os.environ, ['colorsys']) as told:\n"
        "    print(told[VARIABLE], flush=True)\n"
        "    sys.stdin.read()\n"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", starts],
        cwd=PROJECT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(PROJECT), str(modules)])},
    )
    environment = {**os.environ, VARIABLE: starter.stdout.readline().strip()}
    assert begin(environment, tmp_path).wait() == 0
    starter.kill()
    starter.wait()
    starter.stdout.close()
    starter.stdin.close()
    wait_for(lambda: begin(environment, tmp_path) is None)


def test_nobody_is_asked_where_there_is_none(tmp_path):
    assert begin({}, tmp_path) is None
    assert begin({VARIABLE: str(tmp_path / "nothing")}, tmp_path) is None


def test_code_of_a_moment_is_a_process_of_its_own(environment, tmp_path):
    with open(tmp_path / "log", "a") as log:
        assert start_warm(["-c", "pass"], environment, log.fileno(), []) is None
