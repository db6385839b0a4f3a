"""Files that are whole or not there: written under another name, and renamed when complete."""

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Union

from durable.leftovers import clear_leftovers, owned_name

UNFINISHED = ".unfinished"


@contextmanager
def writing(path: Union[str, Path]) -> Iterator[Path]:
    """
    Gives a name to write to, in the folder of `path`; on leaving, what was written there is forced
    to disk and takes its place. If anything fails, `path` is as it was and nothing else is left;
    what a process that was killed has left of the same file is cleared away.
    """
    path = Path(path)
    clear_leftovers(path.parent, f".{path.name}", UNFINISHED)
    unfinished = path.with_name(owned_name(f".{path.name}", UNFINISHED))
    try:
        yield unfinished
        _force_to_disk(unfinished)
        os.replace(unfinished, path)
        _force_to_disk(path.parent)
    finally:
        # What cannot be removed could not be written either, and that is said by whoever asked.
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def write_whole(path: Path, content: Union[str, bytes]) -> None:
    with writing(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def _force_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
