"""Small JSON files that know whether they are damaged: an object carries the hash of all the rest."""

import hashlib
import json
from pathlib import Path
from typing import Any, Dict, Optional

from durable.damage import Damaged
from durable.plain_json import read_json
from durable.whole import write_whole

HASH = "sha256"


def write_record(path: Path, content: Dict[str, Any], **options: Any) -> None:
    """`options` are those of `json.dumps`."""
    write_whole(path, json.dumps({**content, HASH: hash_of(content)}, **options))


def read_record(path: Path) -> Optional[Dict[str, Any]]:
    """
    Without the hash; None if there is no such file. Raises `Damaged` for anything but an object, and
    for one that is not what was written; one without a hash, of an older version, is read as it is.
    """
    try:
        content = read_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Damaged(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise Damaged(f"{path}: is damaged: not JSON ({error})") from error
    if not isinstance(content, dict):
        raise Damaged(f"{path}: is damaged: not a JSON object")
    written = content.pop(HASH, None)
    if written is not None and written != hash_of(content):
        raise Damaged(f"{path}: is damaged: it is not what was written")
    return content


def hash_of(content: Dict[str, Any]) -> str:
    """Of what a reader gets: numbers and names come back from JSON as they went."""
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(json.dumps(json.loads(text), sort_keys=True).encode()).hexdigest()
