"""Files that are whole or not there, and the hash of what is in one."""

import hashlib
import os
from pathlib import Path
from typing import Union


def write_atomically(path: Path, content: Union[str, bytes]) -> None:
    """Under a temporary name until it is complete."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
