"""
JSON and checksums.

`read_json` raises one kind of error for any malformed JSON. Records are small JSON objects that contain their own
hash. For files in the formats of other programs, their folder has a list of hashes (`checksums.json`), which is
written after them. Hashes are checked whenever the files are read.
"""

import errno
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attention_explain.errors import InputError
from attention_explain.files.atomic import write_atomic

# Code that handles JSON is recursive, and Python's stack is limited.
MOST_LEVELS = 200


def read_json(text: str | bytes, **options: Any) -> Any:
    """
    Like `json.loads`, but raises only `JSONDecodeError`, also for bytes that are not text, for numbers with too many
    digits, and for values that are nested too deeply.
    """
    shown = text if isinstance(text, str) else text.decode("utf-8", "replace")
    try:
        value = json.loads(text, **options)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise _too_deep(shown) from None
    except UnicodeDecodeError as error:
        raise json.JSONDecodeError(f"not UTF-8 ({error.reason})", shown, 0) from error
    except ValueError as error:
        # Python limits the number of digits.
        reason = "a number is too long" if "digits" in str(error) else str(error)
        raise json.JSONDecodeError(reason, shown, 0) from error
    nested = isinstance(value, (dict, list)) and shown.count("[") + shown.count("{") > MOST_LEVELS
    if nested and _is_too_deep(value):
        raise _too_deep(shown)
    return value


def _too_deep(text: str) -> json.JSONDecodeError:
    return json.JSONDecodeError(f"nested deeper than {MOST_LEVELS} levels", text, 0)


def _is_too_deep(value: Any) -> bool:
    level: list[Any] = [value]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


# A full disk, an exceeded quota, or a read-only file system.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class DamagedFileError(InputError):
    """A file that is not what was written; the message names it."""


def describe_os_error(error: OSError) -> str:
    """An error message for people, with the file name if the error has one."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in FULL:
        return f"nothing more can be written ({error.strerror})"
    return str(error)


HASH = "sha256"


def write_record(path: Path, content: dict[str, Any], **options: Any) -> None:
    """Write a JSON object with its hash; `options` are those of `json.dumps`."""
    write_atomic(path, json.dumps({**content, HASH: hash_of(content)}, **options))


def read_record(path: Path) -> dict[str, Any] | None:
    """
    The object without its hash; None if there is no such file. Raises `DamagedFileError` for anything but an object
    and for a wrong hash; a file without a hash is accepted.
    """
    try:
        content = read_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DamagedFileError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise DamagedFileError(f"{path}: is damaged: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise DamagedFileError(f"{path}: is damaged: not a JSON object")
    written = content.pop(HASH, None)
    if written is not None and written != hash_of(content):
        raise DamagedFileError(f"{path}: is damaged: it is not what was written")
    return content


def hash_of(content: dict[str, Any]) -> str:
    """The hash of an object as it is read back from JSON."""
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(json.dumps(json.loads(text), sort_keys=True).encode()).hexdigest()


CHECKSUMS = "checksums.json"
FILES = "files"


def sha256(path: Path) -> str:
    """The SHA-256 checksum of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remembered_sha256(path: Path) -> str:
    """The same, but a file that has not changed since this process read it is not read again."""
    state = path.stat()
    return _sha256_at(path, state.st_size, state.st_mtime_ns)


@cache
def _sha256_at(path: Path, size: int, mtime: int) -> str:
    return sha256(path)


def write_checksums(folder: Path, names: Iterable[str]) -> None:
    """Write the hashes of files in the folder; `names` are files, or subfolders for all of their files."""
    files = [file for name in names for file in _files(folder, name)]
    write_record(folder / CHECKSUMS, {FILES: {f: sha256(folder / f) for f in files}}, indent=1)


def drop_checksums(folder: Path) -> None:
    """Remove the list of hashes, before files in the folder are written again."""
    (folder / CHECKSUMS).unlink(missing_ok=True)


def check_files(folder: Path, names: Iterable[str]) -> None:
    """
    Raise `DamagedFileError` if a file differs from the list of hashes; `names` as in `write_checksums`. A folder
    without a list is accepted.
    """
    stated = read_record(folder / CHECKSUMS)
    if stated is None:
        return
    listed = stated.get(FILES)
    if not isinstance(listed, dict):
        raise DamagedFileError(f"{folder / CHECKSUMS}: is damaged: it lists no files")
    for name in names:
        wanted = {file for file in listed if file == name or file.startswith(f"{name}/")}
        for file in sorted(wanted.union(_files(folder, name))):
            problem = _difference(folder / file, listed.get(file))
            if problem:
                raise DamagedFileError(
                    f"{folder / file}: {problem}; if that is on purpose, delete {folder / CHECKSUMS}"
                )


def _difference(path: Path, written: Any) -> str:
    if written is None:
        return "did not exist when the other files were written"
    try:
        return "" if sha256(path) == written else "is damaged: it is not what was written"
    except FileNotFoundError:
        return "is missing"


def _files(folder: Path, name: str) -> list[str]:
    """Relative paths of the files; hidden files, such as locks, are ignored."""
    path = folder / name
    if not path.is_dir():
        return [name] if path.exists() else []
    below = (file.relative_to(folder) for file in path.rglob("[!.]*") if file.is_file())
    return sorted(file.as_posix() for file in below)


def fingerprint(path: Path) -> dict[str, Any]:
    """Size, date and hash of a file, for `is_unchanged`."""
    state = path.stat()
    return {"size": state.st_size, "mtime": state.st_mtime_ns, "sha256": sha256(path)}


def is_unchanged(path: Path, written: Any) -> bool:
    """Whether a file has this fingerprint; it is read only if its date has changed."""
    if not isinstance(written, Mapping):
        return False
    try:
        state = path.stat()
        if state.st_size != written.get("size"):
            return False
        if state.st_mtime_ns == written.get("mtime"):
            return True
        return remembered_sha256(path) == written.get("sha256")
    except OSError:
        return False
