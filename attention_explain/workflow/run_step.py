"""
`python -m attention_explain.workflow.run_step PLAN STEP`: does one step of a plan, if nobody has done it yet. This is what
the engine starts, here or on another machine. A step that was killed goes on where it was.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, List, Sequence

from attention_explain.files.records import told
from attention_explain.files.whole import write_whole
from attention_explain.workflow import training_state
from attention_explain.workflow.errors import StudyError
from attention_explain.workflow.kinds import TrainStep
from attention_explain.workflow.locks import locked, visible_gpu
from attention_explain.workflow.plan import read_steps
from attention_explain.workflow.progress import Events
from attention_explain.workflow.steps import Step
from attention_explain.workflow.warm import begun_warm

# What the environment of every step says.
OF_ALL_STEPS = {
    # More threads than one make these small models slower, and there are other runs for the other cores.
    **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    # Same bytes, too, where a set is written in the order of its hashes.
    "PYTHONHASHSEED": "0",
    # The step's log is all there is of it.
    "ATTENTION_EXPLAIN_LOG": "all",
    # A study opens models that it has trained itself; their configs name the study's own files.
    "ATTENTION_EXPLAIN_TRUST_ARCHIVES": "yes",
}


def main(plan: Path, name: str) -> int:
    stored = json.loads(plan.read_text(encoding="utf-8"))
    step = read_steps(plan)[name]
    events = Events(plan.parent)
    try:
        code = run(step, Path(stored["runs"]), events)
        if not code:
            events.done(step)
    except (StudyError, OSError) as error:
        said = told(error) if isinstance(error, OSError) else error
        _say(events.log(step), f"error: {said}")
        code = 2
    if code:
        # On a full disk it cannot be noted.
        with suppress(OSError):
            events.failed(step, code)
    return code


def run(step: Step, runs: Path, events: Events) -> int:
    """The exit code."""
    locks = runs / "locks"
    with locked(locks, step.lock_names(runs)) as held:
        if step.is_done:
            return 0
        begun = time.time()
        missing = step.missing
        events.started(step)
        clear_damage(step, events.log(step))
        with visible_gpu(locks) as (devices, taken):
            options = ("--cuda-device", "0") if devices.get("CUDA_VISIBLE_DEVICES") else ()
            log = events.log(step)
            for command in step.commands(missing, options):
                if isinstance(step, TrainStep):
                    command += _recovery(step)
                code = _finished(command, log, [*held, *taken], devices)
                if code:
                    return code
        if isinstance(step, TrainStep):
            training_state.drop_checkpoints(Path(step.folder))
        step.record(time.time() - begun, missing)
        return 0


def clear_damage(step: Step, log: Path) -> None:
    """What is damaged is made again, and what makes it does not find it there."""
    for output, sentence in step.damage.items():
        _say(log, f"{sentence}; it is made again")
        step.clear(output)


def _recovery(step: TrainStep) -> List[str]:
    """Makes all ready for a training: what else it is to be told."""
    config, folder = Path(step.config_file), Path(step.folder)
    config.parent.mkdir(parents=True, exist_ok=True)
    write_whole(config, json.dumps(step.config, indent=1))
    return ["--recover"] if training_state.prepare(folder, step.config) else []


def _finished(command: Sequence[str], log: Path, held: Sequence[int], devices: dict) -> int:
    """Runs it to its end, or to ours: whoever ends us gets it ended too."""
    environment = {**os.environ, **OF_ALL_STEPS, **devices}
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a", encoding="utf-8") as file:
        file.write(f"$ python {' '.join(command)}\n")
        file.flush()
        process = begun_warm(command, environment, file.fileno(), held) or subprocess.Popen(
            [sys.executable, *command],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            pass_fds=held,
        )

        def pass_on(number: int, _: Any) -> None:
            # Once: whoever ends us may say so to all of us, and again.
            signal.signal(number, signal.SIG_IGN)
            process.send_signal(number)

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, pass_on)
        code = process.wait()
    return code if code >= 0 else 128 - code


def _say(log: Path, sentence: str) -> None:
    print(sentence, file=sys.stderr)
    with suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "a", encoding="utf-8") as file:
            file.write(sentence + "\n")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
