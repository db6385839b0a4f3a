"""
Files that a command is told to write, looked at before any work: none of them is one it reads, no
two are the same, and each has the suffix of what it is.
"""

import os
from pathlib import Path
from typing import Iterable, Mapping, Sequence, Union

Place = Union[str, Path]


class Costly(Exception):
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
                raise Costly(f"{path}: a {suffix[1:]} file is written there; call it *{suffix}")
    check_spared([path for paths in outputs.values() for path in paths], inputs)


def check_spared(outputs: Sequence[Place], inputs: Iterable[Place]) -> None:
    """The same of files that may be called anything."""
    inputs = list(inputs)
    for number, path in enumerate(outputs):
        if any(same_file(path, each) for each in inputs):
            raise Costly(f"{path}: is read; write somewhere else")
        if any(same_file(path, earlier) for earlier in outputs[:number]):
            raise Costly(f"{path}: two files would be written there; give them two names")


def check_new(path: Place, force: bool) -> None:
    """Nothing is replaced unless that was asked for."""
    if Path(path).exists() and not force:
        raise Costly(f"{path}: exists already; give --force to replace it")


def same_file(one: Place, other: Place) -> bool:
    """However they are spelled, and through links of both kinds; the files need not exist."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return os.path.realpath(one) == os.path.realpath(other)
