"""
Files that are whole or not there: written under another name, and renamed when complete. The other
name carries the number of the process, so that the next one can tell whether anybody still owns what
a kill has left behind.
"""

import os
import re
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterator, Union


def owned_name(before: str, after: str = "") -> str:
    """A name that says which process it belongs to."""
    return f"{before}.{os.getpid()}{after}"


def clear_leftovers(folder: Path, before: str, after: str = "") -> None:
    """
    Removes what bears an owned name, and maybe more behind it, if no living process owns it. What
    cannot be removed is left: it is in nobody's way.
    """
    owned = re.compile(re.escape(before) + r"\.(\d+)(?!\d)" + re.escape(after) + ".*", re.DOTALL)
    with suppress(OSError):
        for path in folder.iterdir():
            name = owned.fullmatch(path.name)
            if name and not is_alive(int(name[1])):
                _remove(path)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _remove(path: Path) -> None:
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


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
