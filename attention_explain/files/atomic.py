"""
Files that are whole or not there: written under another name, and renamed when complete. The other
name carries the number of the process, so that the next one can tell whether anybody still owns what
a kill has left behind.

What a command is told to write is looked at before any work: no file is one that it reads, no two are
the same, and each has the suffix of what it is.
"""

import os
import re
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Iterable, Iterator, Mapping, Sequence, Union

from attention_explain.errors import InputError


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
    """Whether a process with this id is running."""
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
    clear_unfinished(path)
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


def clear_unfinished(path: Path) -> None:
    """Removes what a killed process has left of the file."""
    clear_leftovers(path.parent, f".{path.name}", UNFINISHED)


def write_atomic(path: Path, content: Union[str, bytes]) -> None:
    """Write a file completely or not at all."""
    with writing(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def _force_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


Place = Union[str, Path]


class OverwriteError(InputError):
    """Writing there would cost another file. The message is a sentence that names it."""


def check_outputs(outputs: Mapping[str, Sequence[Place]], inputs: Iterable[Place] = ()) -> None:
    """
    # Parameters

    outputs : `Mapping[str, Sequence[Place]]`
        By suffix, as in `{".csv": [path]}`.
    inputs : `Iterable[Place]`
        Files and folders; what is no path at all, as a URL, is no file of ours either.
    """
    for suffix, paths in outputs.items():
        for path in map(Path, paths):
            if path.suffix.lower() != suffix:
                raise OverwriteError(
                    f"{path}: a {suffix[1:]} file is written there; call it *{suffix}"
                )
    check_distinct([path for paths in outputs.values() for path in paths], inputs)


def check_distinct(outputs: Sequence[Place], inputs: Iterable[Place]) -> None:
    """The same of files that may be called anything."""
    inputs = list(inputs)
    for number, path in enumerate(outputs):
        if any(same_file(path, each) for each in inputs):
            raise OverwriteError(f"{path}: is read; write somewhere else")
        if any(same_file(path, earlier) for earlier in outputs[:number]):
            raise OverwriteError(f"{path}: two files would be written there; give them two names")


def check_new(path: Place, force: bool) -> None:
    """Nothing is replaced unless that was asked for."""
    if Path(path).exists() and not force:
        raise OverwriteError(f"{path}: exists already; give --force to replace it")


def same_file(one: Place, other: Place) -> bool:
    """However they are spelled, and through links of both kinds; the files need not exist."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)
