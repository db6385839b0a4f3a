"""Runs a plan: writes it down, starts Snakemake, tells how far it is, and ends with what came of it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Iterator, List, Optional

from analysis.manifest import MANIFEST
from durable.whole import write_whole
from workflow.account import Clock, write_account
from workflow.errors import StudyError
from workflow.events import DONE, FAILED, Events
from workflow.kinds import ReportStep
from workflow.locks import GPUS_VARIABLE, locked
from workflow.overview import headline
from workflow.plan import Plan, read_steps
from workflow.progress import Progress, summary
from workflow.tables import drop_others

HERE = Path(__file__).resolve().parent
POLL = 0.5
STOPPING = "\nstopping; the same command goes on from here"


def run(
    plan: Plan,
    profile: str,
    cores: Optional[int],
    gpus: int,
    snakemake: str = "snakemake",
    command: str = "",
) -> int:
    """The exit code: 0 if everything is done. `command`: what does it all again, for people."""
    state = plan.places.runs / "studies" / plan.results.name
    _check_writable(state, plan.results)
    with locked(plan.places.runs / "locks", [f"study-{plan.results.name}"]) as held:
        clock = Clock(state, plan.steps.values())
        cores = cores or available_cores()
        drop_others(plan.results, plan.steps.values())
        code = _run(plan, state, profile, cores, gpus, snakemake, held)
        elapsed = clock.stop()
        if code == 0:
            write_account(plan, command, cores, gpus, elapsed)
        return code


def _run(
    plan: Plan, state: Path, profile: str, cores: int, gpus: int, snakemake: str, held: List[int]
) -> int:
    write_whole(state / "plan.json", plan.to_json())
    steps = read_steps(state / "plan.json")
    events = Events(state)
    events.clear()
    _tell_damage(plan)
    print(headline(plan, cores))
    if steps:
        command = _command(state, profile, cores, gpus, snakemake)
        environment = {**os.environ, GPUS_VARIABLE: str(gpus), "PYTHONPATH": _python_path()}
        with open(state / "snakemake.log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment, pass_fds=held
            )
            with _ended_with_us(process.pid):
                _follow(process, Progress(plan.steps, steps, events, cores))
        _report_of_the_rest(plan, events)
    print(summary(plan, steps, events, state / "snakemake.log"))
    return 0 if all(step.is_done for step in plan.steps.values()) else 1


def _tell_damage(plan: Plan) -> None:
    told = dict.fromkeys(text for step in plan.steps.values() for text in step.damage.values())
    for sentence in told:
        print(f"{sentence}; it is made again")


def available_cores() -> int:
    return len(os.sched_getaffinity(0))


def _python_path() -> str:
    """So that steps find this package from whatever folder the study was started in."""
    return os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))


def _check_writable(*folders: Path) -> None:
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".{os.getpid()}.unfinished"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise StudyError(f"{folder}: cannot be written into ({error.strerror})") from error


def _command(state: Path, profile: str, cores: int, gpus: int, snakemake: str) -> List[str]:
    own = HERE / "profiles" / profile
    folder = own if own.is_dir() else Path(profile)
    if not folder.is_dir():
        known = ", ".join(sorted(path.name for path in (HERE / "profiles").iterdir()))
        raise StudyError(f"{profile}: no such profile; there are {known}, or name a folder")
    if shutil.which(snakemake) is None:
        raise StudyError(f"{snakemake}: no such command; `make study` sets Snakemake up")
    settings = {"plan": str(state.resolve() / "plan.json"), "python": sys.executable}
    # In a file: Snakemake reads what stands in a command as YAML, and a path may be anything.
    file = state.resolve() / "engine.json"
    write_whole(file, json.dumps({**settings, "folder": str(Path.cwd())}))
    command = [snakemake, "--snakefile", str(HERE / "Snakefile"), "--directory", str(state)]
    command += ["--profile", str(folder), "--configfile", str(file)]
    # The lock is ours: Snakemake's own outlives a kill.
    command += ["--nolock"]
    if profile == "workstation":
        command += ["--cores", str(cores), "--resources", f"run={gpus or cores}"]
    return command


def _follow(process: subprocess.Popen, progress: Progress) -> None:
    while True:
        try:
            ended = process.poll() is not None
            progress.tell()
            if ended:
                return
            time.sleep(POLL)
        except KeyboardInterrupt:
            # Snakemake has heard it too, and ends its steps.
            print(STOPPING, file=sys.stderr)


@contextmanager
def _ended_with_us(engine: int) -> Iterator[None]:
    """
    When we are told to end, Snakemake and its steps end, too. Left alone it would start one step after
    another, for hours. A key pressed in the terminal is heard by all of them without us.
    """

    def end(*_: Any) -> None:
        print(STOPPING, file=sys.stderr)
        for pid in reversed(_descendants(engine)):
            _send(pid, signal.SIGTERM)
        # Starts nothing more; and, where it is not deaf to it, takes back what waits in a cluster.
        _send(engine, signal.SIGTERM)
        _send(engine, signal.SIGINT)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _descendants(pid: int) -> List[int]:
    listed = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, listed.splitlines())}
    family = [pid]
    # Grows while we go through it.
    for one in family:
        family += [child for child, parent in parents.items() if parent == one]
    return family[1:]


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _report_of_the_rest(plan: Plan, events: Events) -> None:
    """Where something failed, a report of what is there is better than none."""
    if not events.of(FAILED):
        return
    for step in plan.steps.values():
        if not isinstance(step, ReportStep) or step.name in events.of(DONE):
            continue
        if (Path(step.folder) / MANIFEST).is_file():
            subprocess.run([sys.executable, *step.command], stdout=subprocess.DEVNULL)
