"""
Locks: one process at a time for each output, and one run at a time on each GPU. The operating system releases
them when the process that holds them ends.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

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
