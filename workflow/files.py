"""One process at a time at each file."""

import fcntl
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Iterator, List, Sequence


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
