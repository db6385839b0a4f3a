"""
One process at a time at each file, and one run at a time on each GPU. What is held by a lock is given
back by whatever ends the holder.
"""

import fcntl
import os
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Dict, Iterator, List, Sequence, Tuple

# Set by `make study GPUS=2`; without it, or with none, everything runs on the CPU.
GPUS_VARIABLE = "ATTENTION_EXPLAIN_GPUS"


@contextmanager
def locked(folder: Path, names: Sequence[str]) -> Iterator[List[int]]:
    """
    Waits until no other process holds any of the names, and gives the descriptors that hold them:
    a child that inherits them goes on holding when its parent is killed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held:
        descriptors = []
        # In one order everywhere, so that no two wait for each other.
        for name in sorted(set(names)):
            file = held.enter_context(open(folder / f"{name}.lock", "a"))
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"{name}: another process is at work on it; waiting", file=sys.stderr)
                fcntl.flock(file, fcntl.LOCK_EX)
            descriptors.append(file.fileno())
        yield descriptors


@contextmanager
def visible_gpu(locks: Path) -> Iterator[Tuple[Dict[str, str], List[int]]]:
    """
    What the environment of a process has to say, and the descriptors that hold the GPU: a process
    that uses it inherits them, and goes on holding when whoever started it is killed. On a cluster,
    the cluster has said everything.
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
