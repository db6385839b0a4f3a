"""Runs a plan: writes it to a file, starts Snakemake, reports progress, and prints a summary."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from sysconfig import get_path
from typing import Any

from analysis.manifest import MANIFEST
from attention_explain.files.atomic import write_atomic
from attention_explain.workflow.kinds import FilesStep, ReportStep, TrainStep
from attention_explain.workflow.overview import headline
from attention_explain.workflow.plan import Plan, drop_unwanted, read_steps
from attention_explain.workflow.progress import (
    DONE,
    FAILED,
    Clock,
    Events,
    Progress,
    summary,
    write_account,
)
from attention_explain.workflow.run_step import GPUS_VARIABLE, STEP_ENVIRONMENT, locked
from attention_explain.workflow.study import StudyError
from attention_explain.workflow.warm import warm_process

HERE = Path(__file__).resolve().parent
# The profile that runs steps on this machine.
LOCAL_PROFILE = "workstation"
POLL = 0.5
# Seconds for the engine to end after a signal, once all its steps have ended.
PATIENCE = 10.0
# In the command line of each step that the engine starts: see Snakefile.
STEP = "attention_explain.workflow.run_step"
STOPPING = "\nstopping; the same command goes on from here"


def run(
    plan: Plan,
    profile: str,
    cores: int | None,
    gpus: int,
    snakemake: str = "snakemake",
    command: str = "",
) -> int:
    """
    Run all steps that are not done; the exit code is 0 if everything is done afterwards. `command` is the
    command for people who want to repeat the study.
    """
    state = plan.folders.runs / "studies" / plan.results.name
    _check_writable(state, plan.results)
    with locked(plan.folders.runs / "locks", [f"study-{plan.results.name}"]) as locks:
        clock = Clock(state, plan.steps.values())
        cores = cores or available_cores()
        drop_unwanted(plan.results, plan.steps.values())
        code = _run(plan, state, profile, cores, gpus, snakemake, locks)
        elapsed = clock.stop()
        if code == 0:
            write_account(plan, command, cores, gpus, elapsed)
        return code


def _run(
    plan: Plan, state: Path, profile: str, cores: int, gpus: int, snakemake: str, locks: list[int]
) -> int:
    write_atomic(state / "plan.json", plan.to_json())
    steps = read_steps(state / "plan.json")
    events = Events(state)
    events.clear()
    for message in dict.fromkeys(m for step in plan.steps.values() for m in step.damage.values()):
        print(f"{message}; it is made again")
    print(headline(plan, cores))
    received: list[int] = []
    if steps:
        command = _command(state, profile, cores, gpus, snakemake)
        environment = {**os.environ, GPUS_VARIABLE: str(gpus), "PYTHONPATH": _python_path()}
        with ExitStack() as running:
            log = running.enter_context(open(state / "snakemake.log", "w", encoding="utf-8"))
            use_allennlp = any(isinstance(step, (TrainStep, FilesStep)) for step in steps.values())
            if use_allennlp and not gpus and profile == LOCAL_PROFILE:
                environment |= running.enter_context(
                    warm_process({**environment, **STEP_ENVIRONMENT})
                )
            # Before the engine starts, so that no signal can leave it running without us.
            received = running.enter_context(_collect_signals())
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment, pass_fds=locks
            )
            _follow(process, Progress(plan.steps, steps, events, cores), received)
        _write_partial_reports(plan, events)
    print(summary(plan, steps, events, state / "snakemake.log"))
    if all(step.is_done for step in plan.steps.values()):
        return 0
    return 128 + received[0] if received else 1


def available_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _python_path() -> str:
    """
    A path with which steps find a checkout from any folder. An installed package needs none, and the packages
    next to it must not replace those of Snakemake, which has its own environment.
    """
    checkout = "" if HERE.parents[1] == Path(get_path("purelib")).resolve() else HERE.parents[1]
    return os.pathsep.join(filter(None, [str(checkout), os.environ.get("PYTHONPATH")]))


def _check_writable(*folders: Path) -> None:
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".{os.getpid()}.unfinished"
            probe.touch()
            probe.unlink()
        except OSError as error:
            raise StudyError(f"{folder}: cannot be written into ({error.strerror})") from error


def _command(state: Path, profile: str, cores: int, gpus: int, snakemake: str) -> list[str]:
    own = HERE / "profiles" / profile
    folder = own if own.is_dir() else Path(profile)
    if not folder.is_dir():
        known = ", ".join(sorted(path.name for path in (HERE / "profiles").iterdir()))
        raise StudyError(f"{profile}: no such profile; there are {known}, or name a folder")
    if shutil.which(snakemake) is None:
        raise StudyError(
            f"{snakemake}: no such command; `make study` installs Snakemake, and --snakemake names the command of another environment"
        )
    settings = {"plan": str(state.resolve() / "plan.json"), "python": sys.executable}
    # In a file: Snakemake parses values on the command line as YAML, which changes some paths.
    file = state.resolve() / "engine.json"
    write_atomic(file, json.dumps({**settings, "folder": str(Path.cwd())}))
    command = [snakemake, "--snakefile", str(HERE / "Snakefile"), "--directory", str(state)]
    command += ["--profile", str(folder), "--configfile", str(file)]
    # We hold a lock already, and Snakemake's own would outlive a kill.
    command += ["--nolock"]
    if profile == LOCAL_PROFILE:
        command += ["--cores", str(cores), "--resources", f"run={gpus or cores}"]
    return command


def _follow(process: subprocess.Popen, progress: Progress, received: list[int]) -> None:
    """Report progress until the engine has ended; stop it once a signal was received."""
    stopping: EngineStop | None = None
    while True:
        try:
            ended = process.poll() is not None
            progress.report()
            if received and stopping is None:
                print(STOPPING, file=sys.stderr)
                stopping = EngineStop(process)
            if ended:
                return
            if stopping is not None:
                stopping.update()
            time.sleep(POLL)
        except KeyboardInterrupt:
            # Snakemake received it too, and ends its steps.
            print(STOPPING, file=sys.stderr)


@contextmanager
def _collect_signals() -> Iterator[list[int]]:
    """Collect SIGTERM and SIGHUP in a list instead of ending the process."""
    received: list[int] = []

    def collect(number: int, _: Any) -> None:
        received.append(number)

    before = {number: signal.signal(number, collect) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class EngineStop:
    """
    Stops Snakemake and its steps when we receive a signal. Left alone, it would start one step after another
    for hours. Ctrl-C in the terminal reaches all processes without us.

    The sender may have signalled all processes already, as Slurm and systemd do, and Snakemake can deadlock
    when it receives a signal twice. It has nothing to lose: once its steps are gone, it is killed.
    """

    def __init__(self, engine: subprocess.Popen) -> None:
        self.engine = engine
        self.last_busy = time.monotonic()
        steps = _descendants(engine.pid)
        # After this signal it starts no more steps.
        engine.send_signal(signal.SIGTERM)
        for pid in reversed(steps):
            _send(pid, signal.SIGTERM)
        self.signalled = set(steps)
        # Cancels jobs that wait in a cluster, unless Snakemake ignores it.
        engine.send_signal(signal.SIGINT)

    def update(self) -> None:
        """Signal new steps, or kill the engine if it does not end; call this until it has ended."""
        family = _descendants(self.engine.pid)
        if family:
            self.last_busy = time.monotonic()
        elif time.monotonic() - self.last_busy >= PATIENCE:
            self.engine.kill()
        # Steps that were about to start when the others were signalled.
        for pid, command in family.items():
            if STEP in command and pid not in self.signalled:
                self.signalled.add(pid)
                _send(pid, signal.SIGTERM)


def _descendants(pid: int) -> dict[int, str]:
    """The command lines of running descendants by process id, parents before their children."""
    columns = ["ps", "-A", "-ww", "-o", "pid=,ppid=,state=,args="]
    listed = subprocess.run(columns, capture_output=True, text=True, errors="replace").stdout
    children: dict[int, dict[int, str]] = {}
    for line in listed.splitlines():
        child, parent, state, *command = line.split(maxsplit=3)
        # Zombies have ended.
        if state != "Z":
            children.setdefault(int(parent), {})[int(child)] = "".join(command)
    family: dict[int, str] = {}
    generation = children.get(pid, {})
    while generation:
        family.update(generation)
        generation = {
            child: command
            for parent in generation
            for child, command in children.get(parent, {}).items()
        }
    return family


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _write_partial_reports(plan: Plan, events: Events) -> None:
    """If a step failed, write the reports from the tables that exist."""
    if not events.of(FAILED):
        return
    for step in plan.steps.values():
        if not isinstance(step, ReportStep) or step.name in events.of(DONE):
            continue
        if (Path(step.folder) / MANIFEST).is_file():
            subprocess.run([sys.executable, *step.command], stdout=subprocess.DEVNULL)
