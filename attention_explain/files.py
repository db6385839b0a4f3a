"""Files that are whole or not there: written under another name, and renamed when complete."""

import errno
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Iterator, Union

from allennlp.common.checks import ConfigurationError


@contextmanager
def writing(path: Union[str, Path]) -> Iterator[Path]:
    """
    Gives a name to write to, in the folder of `path`; on leaving, what was written there is forced
    to disk and takes its place. If anything fails, `path` is as it was and nothing else is left.
    """
    path = Path(path)
    unfinished = path.with_name(f".{path.name}.unfinished")
    try:
        with explained_failures(path):
            yield unfinished
            _force_to_disk(unfinished)
            os.replace(unfinished, path)
            _force_to_disk(path.parent)
    finally:
        # What cannot be removed could not be written either, and that has been said.
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


@contextmanager
def explained_failures(path: Union[str, Path]) -> Iterator[None]:
    """A full disk, a read-only folder and the like become one sentence that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigurationError(f"{path}: cannot be written ({reason})") from error


def check_writable(path: Union[str, Path]) -> None:
    """Says before any work that a file cannot be written; makes the folder it is to lie in."""
    path = Path(path)
    with explained_failures(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with TemporaryFile(dir=path.parent):
            pass


def _force_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
