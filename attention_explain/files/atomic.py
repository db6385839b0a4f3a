"""
Atomic writes: a file is written under a temporary name and renamed when it is complete. The temporary name
contains the id of the process, so that leftovers of killed processes can be recognised.

Output paths are checked before any work: an output must not be an input, two outputs must differ, and each needs
the right suffix.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Union

from attention_explain.errors import InputError


def owned_name(before: str, after: str = "") -> str:
    """A file name that contains the id of this process."""
    return f"{before}.{os.getpid()}{after}"


def clear_leftovers(folder: Path, before: str, after: str = "") -> None:
    """
    Remove files whose owned name, possibly with a further suffix, belongs to a process that has ended. Files that
    cannot be removed are ignored.
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
def writing(path: str | Path) -> Iterator[Path]:
    """
    Yield a temporary name in the folder of `path`; at the end, the file with that name is flushed to disk and
    renamed to `path`. If anything fails, `path` is unchanged and nothing else is left. Leftovers of killed
    processes are removed.
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
        # If it cannot be removed, it could not be written either, and that error is already raised.
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def clear_unfinished(path: Path) -> None:
    """Remove what killed processes have left of the file."""
    clear_leftovers(path.parent, f".{path.name}", UNFINISHED)


def write_atomic(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all."""
    with writing(path) as unfinished:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def _force_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


AnyPath = Union[str, Path]


class OverwriteError(InputError):
    """An output path that would replace another file; the message names it."""


def check_outputs(outputs: Mapping[str, Sequence[AnyPath]], inputs: Iterable[AnyPath] = ()) -> None:
    """
    Raise if an output has the wrong suffix, is an input, or is named twice.

    # Parameters

    outputs : `Mapping[str, Sequence[AnyPath]]`
        By suffix, as in `{".csv": [path]}`.
    inputs : `Iterable[AnyPath]`
        Files and folders; other strings, such as URLs, are allowed.
    """
    for suffix, paths in outputs.items():
        for path in map(Path, paths):
            if path.suffix.lower() != suffix:
                raise OverwriteError(
                    f"{path}: the output is a {suffix[1:]} file; call it *{suffix}"
                )
    check_distinct([path for paths in outputs.values() for path in paths], inputs)


def check_distinct(outputs: Sequence[AnyPath], inputs: Iterable[AnyPath]) -> None:
    """Raise if an output is an input or is named twice."""
    inputs = list(inputs)
    for number, path in enumerate(outputs):
        if any(same_file(path, each) for each in inputs):
            raise OverwriteError(f"{path}: is an input; give another name for the output")
        if any(same_file(path, earlier) for earlier in outputs[:number]):
            raise OverwriteError(f"{path}: two outputs have this name; give them different names")


def check_new(path: AnyPath, force: bool) -> None:
    """Raise if the file exists, unless `force` is given."""
    if Path(path).exists() and not force:
        raise OverwriteError(f"{path}: exists already; give --force to replace it")


def same_file(one: AnyPath, other: AnyPath) -> bool:
    """Whether two paths mean the same file, also through links; the files need not exist."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)
