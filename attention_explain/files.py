"""What the commands write: whole files or none, and one sentence where that cannot be."""

import errno
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Iterable, Iterator, Mapping, Sequence, Union

from allennlp.common.checks import ConfigurationError

from durable import whole


@contextmanager
def writing(path: Union[str, Path]) -> Iterator[Path]:
    """
    Gives a name to write to, in the folder of `path`; on leaving, what was written there takes its
    place. If anything fails, `path` is as it was and nothing else is left.
    """
    with explained_failures(path), whole.writing(path) as unfinished:
        yield unfinished


@contextmanager
def explained_failures(path: Union[str, Path]) -> Iterator[None]:
    """A full disk, a read-only folder and the like become one sentence that names the file."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigurationError(f"{path}: cannot be written ({reason})") from error


def check_outputs(
    written: Mapping[str, Sequence[Union[str, Path]]], read: Iterable[Union[str, Path]] = ()
) -> None:
    """
    Says before any work that files, listed by suffix, cannot be written, or would cost a file that is
    read or another of them; makes the folders they are to lie in.
    """
    with _costs_explained():
        whole.check_outputs(written, read)
    for paths in written.values():
        for path in paths:
            check_writable(path)


def check_spared(written: Sequence[Union[str, Path]], read: Iterable[Union[str, Path]]) -> None:
    """Only that none of the files costs another."""
    with _costs_explained():
        whole.check_spared(written, read)


def check_new(path: Union[str, Path], force: bool) -> None:
    """That nothing is replaced unless that was asked for."""
    with _costs_explained():
        whole.check_new(path, force)


@contextmanager
def _costs_explained() -> Iterator[None]:
    try:
        yield
    except whole.Costly as error:
        raise ConfigurationError(str(error)) from error


def check_writable(path: Union[str, Path]) -> None:
    """Says before any work that a file cannot be written; makes the folder it is to lie in."""
    path = Path(path)
    with explained_failures(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with TemporaryFile(dir=path.parent):
            pass
