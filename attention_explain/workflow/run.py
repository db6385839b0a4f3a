"""Runs a plan: writes it down, starts Snakemake, tells how far it is, and ends with what came of it."""

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from sysconfig import get_path
from typing import Any, Dict, Iterable, Iterator, List, Optional

from analysis.manifest import MANIFEST
from attention_explain.files.records import Damaged, read_json, read_record, write_record
from attention_explain.files.whole import write_whole
from attention_explain.workflow.errors import StudyError
from attention_explain.workflow.kinds import KINDS, FilesStep, ReportStep, ResultsStep, TrainStep
from attention_explain.workflow.locks import GPUS_VARIABLE, locked
from attention_explain.workflow.overview import headline
from attention_explain.workflow.plan import Plan, read_steps
from attention_explain.workflow.progress import DONE, FAILED, Events, Progress, summary
from attention_explain.workflow.run_step import OF_ALL_STEPS
from attention_explain.workflow.steps import Step
from attention_explain.workflow.tables import drop_others
from attention_explain.workflow.training_state import is_recovered
from attention_explain.workflow.warm import warm_process

NAME = "study.json"
PACKAGES = ("allennlp", "entmax", "torch")
GIBIBYTE = 2**30


class Clock:
    """
    The time that all starts of a study have taken until it was done, less that of one that was killed,
    and of those that only made tables again, as a changed `analysis/` has it.

    state : the folder of the study's state.
    """

    def __init__(self, state: Path, steps: Iterable[Step]) -> None:
        self.path = state / "elapsed.json"
        self.earlier = _seconds(self.path)
        left = [step for step in steps if not step.is_done]
        results_alone = all(isinstance(step, ResultsStep) for step in left)
        self.counts = not self.earlier or not results_alone
        self.begun = time.time()

    def stop(self) -> float:
        """Seconds, with earlier starts."""
        elapsed = self.earlier + (time.time() - self.begun if self.counts else 0.0)
        write_record(self.path, {"seconds": elapsed})
        return elapsed


def _seconds(path: Path) -> float:
    """Of earlier starts; older versions have written the bare number."""
    with suppress(OSError, ValueError):
        number = read_json(path.read_bytes())
        if isinstance(number, float):
            return number
    try:
        record = read_record(path)
        seconds = 0.0 if record is None else record.get("seconds")
        if isinstance(seconds, (int, float)):
            return seconds
        raise Damaged(f"{path}: is damaged: it has no seconds")
    except Damaged as error:
        print(f"{error}; what earlier starts took is not known", file=sys.stderr)
        return 0.0


def write_account(plan: Plan, command: str, cores: int, gpus: int, elapsed: float) -> None:
    write_record(plan.results / NAME, account(plan, command, cores, gpus, elapsed), indent=1)


def account(plan: Plan, command: str, cores: int, gpus: int, elapsed: float) -> Dict[str, Any]:
    steps = list(plan.steps.values())
    runs = [step for step in steps if isinstance(step, TrainStep)]
    seconds = {
        kind: round(sum(step.took[0] for step in steps if step.kind == kind and step.took))
        for kind in KINDS
    }
    return {
        "title": plan.study.title,
        "command": command,
        "corpora": list(dict.fromkeys(key.corpus for key in plan.study.runs)),
        "seeds": sorted({key.seed for key in plan.study.runs}),
        "limit": plan.limit,
        "runs": len(runs),
        "recovered": sum(is_recovered(Path(run.folder)) for run in runs),
        # On one core each, those of other studies included.
        "seconds": seconds,
        "cores": cores,
        "gpus": gpus,
        "elapsed": round(elapsed),
        "machine": machine(),
        "versions": {package: version(package) for package in PACKAGES},
        "finished": time.strftime("%Y-%m-%d"),
    }


def machine() -> Dict[str, Any]:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": f"{memory / GIBIBYTE:.0f} GiB",
        "python": platform.python_version(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


HERE = Path(__file__).resolve().parent
# The profile that starts its steps on this machine.
HERE_ALONE = "workstation"
POLL = 0.5
# Seconds that the engine gets to end when it was told to, and none of its steps is left.
PATIENCE = 10.0
# In the command of each step that the engine starts: see Snakefile.
STEP = "attention_explain.workflow.run_step"
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
    told: List[int] = []
    if steps:
        command = _command(state, profile, cores, gpus, snakemake)
        environment = {**os.environ, GPUS_VARIABLE: str(gpus), "PYTHONPATH": _python_path()}
        with ExitStack() as running:
            log = running.enter_context(open(state / "snakemake.log", "w", encoding="utf-8"))
            if not gpus and profile == HERE_ALONE and any(map(_of_allennlp, steps.values())):
                environment |= running.enter_context(warm_process({**environment, **OF_ALL_STEPS}))
            # Before there is an engine: one that is started, and not told, would go on without us.
            told = running.enter_context(_told_to_end())
            process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment, pass_fds=held
            )
            _follow(process, Progress(plan.steps, steps, events, cores), told)
        _report_of_the_rest(plan, events)
    print(summary(plan, steps, events, state / "snakemake.log"))
    if all(step.is_done for step in plan.steps.values()):
        return 0
    return 128 + told[0] if told else 1


def _of_allennlp(step: Step) -> bool:
    return isinstance(step, (TrainStep, FilesStep))


def _tell_damage(plan: Plan) -> None:
    told = dict.fromkeys(text for step in plan.steps.values() for text in step.damage.values())
    for sentence in told:
        print(f"{sentence}; it is made again")


def available_cores() -> int:
    return len(os.sched_getaffinity(0))


def _python_path() -> str:
    """
    Lets steps find a checkout from any folder. An installed package is found without it, and its
    neighbours must not replace packages of Snakemake, which has its own environment.
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


def _command(state: Path, profile: str, cores: int, gpus: int, snakemake: str) -> List[str]:
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
    # In a file: Snakemake reads what stands in a command as YAML, and a path may be anything.
    file = state.resolve() / "engine.json"
    write_whole(file, json.dumps({**settings, "folder": str(Path.cwd())}))
    command = [snakemake, "--snakefile", str(HERE / "Snakefile"), "--directory", str(state)]
    command += ["--profile", str(folder), "--configfile", str(file)]
    # The lock is ours: Snakemake's own outlives a kill.
    command += ["--nolock"]
    if profile == HERE_ALONE:
        command += ["--cores", str(cores), "--resources", f"run={gpus or cores}"]
    return command


def _follow(process: subprocess.Popen, progress: Progress, told: List[int]) -> None:
    """Until it has ended. `told`: the signals that have told us to end."""
    ending: Optional[Ending] = None
    while True:
        try:
            ended = process.poll() is not None
            progress.tell()
            if told and ending is None:
                print(STOPPING, file=sys.stderr)
                ending = Ending(process)
            if ended:
                return
            if ending is not None:
                ending.go_on()
            time.sleep(POLL)
        except KeyboardInterrupt:
            # Snakemake has heard it too, and ends its steps.
            print(STOPPING, file=sys.stderr)


@contextmanager
def _told_to_end() -> Iterator[List[int]]:
    """The signals that have told us to end are in the list as soon as they come."""
    told: List[int] = []

    def note(number: int, _: Any) -> None:
        told.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Ending:
    """
    When we are told to end, Snakemake and its steps end, too. Left alone it would start one step after
    another, for hours. A key pressed in the terminal is heard by all of them without us.

    Whoever tells us may have told all of them already, as Slurm and systemd do; Snakemake can come to
    wait for itself when it hears a signal twice. It has nothing to lose: what still waits when its steps
    are gone is killed.
    """

    def __init__(self, engine: subprocess.Popen) -> None:
        self.engine = engine
        self.last_busy = time.monotonic()
        steps = _descendants(engine.pid)
        # Starts nothing more.
        engine.send_signal(signal.SIGTERM)
        for pid in reversed(steps):
            _send(pid, signal.SIGTERM)
        self.told = set(steps)
        # Where it is not deaf to it, takes back what waits in a cluster.
        engine.send_signal(signal.SIGINT)

    def go_on(self) -> None:
        """To be called until the engine is gone."""
        family = _descendants(self.engine.pid)
        if family:
            self.last_busy = time.monotonic()
        elif time.monotonic() - self.last_busy >= PATIENCE:
            self.engine.kill()
        # What was about to start when the others were told.
        for pid, command in family.items():
            if STEP in command and pid not in self.told:
                self.told.add(pid)
                _send(pid, signal.SIGTERM)


def _descendants(pid: int) -> Dict[int, str]:
    """Those that still run, with the command of each, parents before their children."""
    columns = ["ps", "-A", "-ww", "-o", "pid=,ppid=,state=,args="]
    listed = subprocess.run(columns, capture_output=True, text=True, errors="replace").stdout
    children: Dict[int, Dict[int, str]] = {}
    for line in listed.splitlines():
        child, parent, state, *command = line.split(maxsplit=3)
        # What has ended stays listed until its parent asks about it.
        if state != "Z":
            children.setdefault(int(parent), {})[int(child)] = "".join(command)
    family: Dict[int, str] = {}
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


def _report_of_the_rest(plan: Plan, events: Events) -> None:
    """Where something failed, a report of what is there is better than none."""
    if not events.of(FAILED):
        return
    for step in plan.steps.values():
        if not isinstance(step, ReportStep) or step.name in events.of(DONE):
            continue
        if (Path(step.folder) / MANIFEST).is_file():
            subprocess.run([sys.executable, *step.command], stdout=subprocess.DEVNULL)
