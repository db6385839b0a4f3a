"""One run a GPU: a GPU is taken by holding its lock, and given back by whatever ends the holder."""

import fcntl
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

# Set by `make study GPUS=2`; without it, or with none, everything runs on the CPU.
VARIABLE = "ATTENTION_EXPLAIN_GPUS"


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
    number = int(os.environ.get(VARIABLE) or 0)
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
