"""
Atomic writes: a file is written under a temporary name and renamed when it is complete. The temporary name
contains the id of the process, so that leftovers of killed processes can be recognised.

Output paths are checked before any work: an output must not be an input, two outputs must differ, and each needs
the right suffix. A file of the user is not replaced: files that this program wrote are recognised, logs and
pages by their first lines, verdicts by verdict.json or the page.
"""

import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, count
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


# The first line of a log.
LOG_MARK = "# log of attention_explain"
VERDICT, PAGE = "verdict.json", "verdict.html"
VERDICT_FILES = (VERDICT, "verdict.md", PAGE)
VERDICT_FIELDS = {"model", "attention", "questions", "methods"}
# The beginning of every page.
PAGE_MARK = (
    "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
    "<meta http-equiv=Content-Security-Policy "
)


def log_name(output: str | Path) -> Path:
    """The log of an output: OUTPUT.log, or OUTPUT.2.log, ... if another file has that name."""
    numbered = (f"{output}.{number}.log" for number in count(2))
    names = map(Path, chain([f"{output}.log"], numbered))
    return next(path for path in names if not _exists(path) or _begins_with(path, LOG_MARK))


def check_verdict_files(folder: Path) -> None:
    """Raise if a verdict would replace a file that is not part of a verdict."""
    present = [folder / name for name in VERDICT_FILES if _exists(folder / name)]
    if _exists(folder / VERDICT):
        own = _is_verdict(folder / VERDICT)
    else:
        own = _begins_with(folder / PAGE, PAGE_MARK)
    if present and not own:
        raise OverwriteError(
            f"{present[0]}: was not written by this program, and would be replaced; move it, or give "
            "another folder"
        )


def check_page(path: str | Path, force: bool = False) -> None:
    """Raise if the file exists and is not a page of this program, unless `force` is given."""
    if not force and _exists(Path(path)) and not _begins_with(Path(path), PAGE_MARK):
        raise OverwriteError(
            f"{path}: exists, and was not written by this program; move it, or give another name"
        )


def _exists(path: Path) -> bool:
    """Whether there is a file, or a link with or without a target."""
    return path.exists() or path.is_symlink()


def _begins_with(path: Path, mark: str) -> bool:
    try:
        if not path.is_file():
            return False
        with open(path, "rb") as file:
            return file.read(len(mark)) == mark.encode()
    except OSError:
        return False


def _is_verdict(path: Path) -> bool:
    try:
        stated = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(stated, dict) and stated.keys() >= VERDICT_FIELDS
