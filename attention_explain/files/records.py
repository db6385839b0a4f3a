"""
What was written before, read with care: whatever is wrong with it is said in a sentence.

JSON that others have written raises one kind of error. Files of our own know whether they are damaged:
a small JSON object, a record, carries the hash of all the rest of it; for files of other programs'
formats their folder has a list of hashes, which is written after them. Either is checked whenever the
files are read.
"""

import errno
import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from attention_explain.errors import InputError
from attention_explain.files.atomic import write_atomic

# All that handles what was read goes down level by level, and Python's stack is not endless.
MOST_LEVELS = 200


def read_json(text: Union[str, bytes], **options: Any) -> Any:
    """
    As `json.loads`, but raises nothing except `JSONDecodeError`, also for bytes that are no text,
    for numbers that are too long, and for what is nested too deeply.
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
        # Python makes no number of more than some thousand digits.
        reason = "a number is too long" if "digits" in str(error) else str(error)
        raise json.JSONDecodeError(reason, shown, 0) from error
    nested = isinstance(value, (dict, list)) and shown.count("[") + shown.count("{") > MOST_LEVELS
    if nested and _is_too_deep(value):
        raise _too_deep(shown)
    return value


def _too_deep(text: str) -> json.JSONDecodeError:
    return json.JSONDecodeError(f"nested deeper than {MOST_LEVELS} levels", text, 0)


def _is_too_deep(value: Any) -> bool:
    level: List[Any] = [value]
    for _ in range(MOST_LEVELS):
        level = [
            part
            for one in level
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, (dict, list))
        ]
        if not level:
            return False
    return True


# Of a disk, or of what somebody may put on it.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class DamagedFileError(InputError):
    """The message is a sentence that names the file."""


def describe_os_error(error: OSError) -> str:
    """In a sentence, for people; not all of these errors know their file."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if error.errno in FULL:
        return f"nothing more can be written ({error.strerror})"
    return str(error)


HASH = "sha256"


def write_record(path: Path, content: Dict[str, Any], **options: Any) -> None:
    """`options` are those of `json.dumps`."""
    write_atomic(path, json.dumps({**content, HASH: hash_of(content)}, **options))


def read_record(path: Path) -> Optional[Dict[str, Any]]:
    """
    Without the hash; None if there is no such file. Raises `DamagedFileError` for anything but an object, and
    for one that is not what was written; one without a hash, of an older version, is read as it is.
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


def hash_of(content: Dict[str, Any]) -> str:
    """Of what a reader gets: numbers and names come back from JSON as they went."""
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(json.dumps(json.loads(text), sort_keys=True).encode()).hexdigest()


CHECKSUMS = "checksums.json"
FILES = "files"


def sha256(path: Path) -> str:
    """The SHA-256 checksum of a file, in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def remembered_sha256(path: Path) -> str:
    """The same, but a file that was not touched since this process read it is not read again."""
    state = path.stat()
    return _sha256_at(path, state.st_size, state.st_mtime_ns)


@cache
def _sha256_at(path: Path, size: int, mtime: int) -> str:
    return sha256(path)


def write_checksums(folder: Path, names: Iterable[str]) -> None:
    """`names` are files within the folder, or folders there, for all that is in them."""
    files = [file for name in names for file in _files(folder, name)]
    write_record(folder / CHECKSUMS, {FILES: {f: sha256(folder / f) for f in files}}, indent=1)


def drop_checksums(folder: Path) -> None:
    """To be called before anything in the folder is written again."""
    (folder / CHECKSUMS).unlink(missing_ok=True)


def check_files(folder: Path, names: Iterable[str]) -> None:
    """
    `names` as above. Raises `DamagedFileError` for what is not as it was when the list was written; a folder
    without a list is taken as it is.
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
            what = _difference(folder / file, listed.get(file))
            if what:
                raise DamagedFileError(
                    f"{folder / file}: {what}; if that is on purpose, delete {folder / CHECKSUMS}"
                )


def _difference(path: Path, written: Any) -> str:
    if written is None:
        return "was not there when all else was written"
    try:
        return "" if sha256(path) == written else "is damaged: it is not what was written"
    except FileNotFoundError:
        return "is missing"


def _files(folder: Path, name: str) -> List[str]:
    """Without hidden ones, which are locks and the like."""
    path = folder / name
    if not path.is_dir():
        return [name] if path.exists() else []
    below = (file.relative_to(folder) for file in path.rglob("[!.]*") if file.is_file())
    return sorted(file.as_posix() for file in below)


def fingerprint(path: Path) -> Dict[str, Any]:
    """What `is_unchanged` compares, for a record of what was written."""
    state = path.stat()
    return {"size": state.st_size, "mtime": state.st_mtime_ns, "sha256": sha256(path)}


def is_unchanged(path: Path, taken: Any) -> bool:
    """Whether it is the file that the fingerprint was taken of; it is read only if it was touched."""
    if not isinstance(taken, Mapping):
        return False
    try:
        state = path.stat()
        if state.st_size != taken.get("size"):
            return False
        return state.st_mtime_ns == taken.get("mtime") or remembered_sha256(path) == taken.get(
            "sha256"
        )
    except OSError:
        return False
