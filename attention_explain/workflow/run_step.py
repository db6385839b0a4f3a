"""
`python -m attention_explain.workflow.run_step PLAN STEP`: runs one step of a plan unless it is done. The engine
starts this, here or on another machine. A step that was killed continues where it was.

Locks allow one process at a time for each output, and one run at a time on each GPU. The operating system
releases them when the process that holds them ends.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from attention_explain.files.atomic import write_atomic
from attention_explain.files.records import describe_os_error
from attention_explain.workflow.kinds import TrainStep
from attention_explain.workflow.plan import read_steps
from attention_explain.workflow.progress import Events, drop_checkpoints, prepare_training
from attention_explain.workflow.steps import Step
from attention_explain.workflow.study import StudyError
from attention_explain.workflow.warm import start_warm

# Set by `make study GPUS=2`; everything runs on the CPU if it is unset or 0.
GPUS_VARIABLE = "ATTENTION_EXPLAIN_GPUS"


@contextmanager
def locked(folder: Path, names: Sequence[str]) -> Iterator[list[int]]:
    """
    Wait until no other process holds any of the names, then hold them. Yields the descriptors: a child
    process that inherits them keeps the locks when its parent is killed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        descriptors = []
        # In the same order everywhere, which prevents deadlocks.
        for name in sorted(set(names)):
            file = held.enter_context(open(folder / f"{name}.lock", "a"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"{name}: waiting for another process that works on it", file=sys.stderr)
                fcntl.flock(file, fcntl.LOCK_EX)
            descriptors.append(file.fileno())
        yield descriptors


@contextmanager
def visible_gpu(locks: Path) -> Iterator[tuple[dict[str, str], list[int]]]:
    """
    Environment variables that select a GPU, and the descriptors of its lock: a process that inherits them
    keeps the GPU when its parent is killed. On a cluster, the cluster assigns GPUs.
    """
    if os.environ.get("SLURM_JOB_ID"):
        yield {}, []
        return
    number = int(os.environ.get(GPUS_VARIABLE) or 0)
    if not number:
        yield {"CUDA_VISIBLE_DEVICES": ""}, []
        return
    while True:
        for device in range(number):
            with open(locks / f"gpu-{device}.lock", "a") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield {"CUDA_VISIBLE_DEVICES": str(device)}, [file.fileno()]
                return
        time.sleep(1)


# The environment of every step.
STEP_ENVIRONMENT = {
    # Several threads make these small models slower, and other cores run other steps.
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    # Makes output reproducible where sets are written in hash order.
    "PYTHONHASHSEED": "0",
    # The log of the step gets all messages.
    "ATTENTION_EXPLAIN_LOG": "all",
    # A study opens only models that it has trained itself.
    "ATTENTION_EXPLAIN_TRUST_ARCHIVES": "yes",
}


def main(plan: Path, name: str) -> int:
    """Run a step, record its event, and return the exit code."""
    stored = json.loads(plan.read_text(encoding="utf-8"))
    step = read_steps(plan)[name]
    events = Events(plan.parent)
    try:
        code = run(step, Path(stored["runs"]), events)
        if not code:
            events.done(step)
    except (StudyError, OSError) as error:
        message = describe_os_error(error) if isinstance(error, OSError) else error
        _print_and_log(events.log(step), f"error: {message}")
        code = 2
    if code:
        # A full disk cannot record it.
        with suppress(OSError):
            events.failed(step, code)
    return code


def run(step: Step, runs: Path, events: Events) -> int:
    """Run the commands of a step under its locks, and return the exit code."""
    locks = runs / "locks"
    with locked(locks, step.lock_names(runs)) as held:
        if step.is_done:
            return 0
        start = time.time()
        missing = step.missing
        events.started(step)
        clear_damage(step, events.log(step))
        with visible_gpu(locks) as (devices, gpu_locks):
            options = ("--cuda-device", "0") if devices.get("CUDA_VISIBLE_DEVICES") else ()
            log = events.log(step)
            for command in step.commands(missing, options):
                if isinstance(step, TrainStep):
                    command += _recovery_options(step)
                code = _run_command(command, log, [*held, *gpu_locks], devices)
                if code:
                    return code
        if isinstance(step, TrainStep):
            drop_checkpoints(Path(step.folder))
        step.record(time.time() - start, missing)
        return 0


def clear_damage(step: Step, log: Path) -> None:
    """Remove damaged outputs, so that they are made again."""
    for output, message in step.damage.items():
        _print_and_log(log, f"{message}; it is made again")
        step.clear(output)


def _recovery_options(step: TrainStep) -> list[str]:
    """Prepare the run folder; returns `--recover` if training can continue."""
    config, folder = Path(step.config_file), Path(step.folder)
    config.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(config, json.dumps(step.config, indent=1))
    return ["--recover"] if prepare_training(folder, step.config) else []


def _run_command(
    command: Sequence[str], log: Path, held: Sequence[int], devices: dict[str, str]
) -> int:
    """Run a command until it ends; signals that end this process are passed on to it."""
    environment = {**os.environ, **STEP_ENVIRONMENT, **devices}
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"$ python {' '.join(command)}\n")
        file.flush()
        process = start_warm(command, environment, file.fileno(), held) or subprocess.Popen(
            [sys.executable, *command],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            pass_fds=held,
        )

        def pass_on(number: int, _: Any) -> None:
            # Only once: the sender may have signalled all processes already, and may do it again.
            signal.signal(number, signal.SIG_IGN)
            process.send_signal(number)

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, pass_on)
        code = process.wait()
    return code if code >= 0 else 128 - code


def _print_and_log(log: Path, line: str) -> None:
    print(line, file=sys.stderr)
    with suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "a", encoding="utf-8") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
