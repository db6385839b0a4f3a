"""What is in data files: a hash and the number of words, remembered as long as a file is untouched."""

import gzip
import hashlib
import json
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List

from durable.whole import write_whole

GZIP = b"\x1f\x8b"


@dataclass
class Contents:
    """
    cache : the file in which hashes are remembered.
    """

    cache: Path
    known: Dict[str, List[Any]] = field(default_factory=dict)
    changed: bool = False

    def __post_init__(self) -> None:
        with suppress(OSError, ValueError):
            self.known = json.loads(self.cache.read_text(encoding="utf-8"))

    def sha256(self, path: Path) -> str:
        return self._about(path)[1]

    def words(self, path: Path) -> int:
        """Of all lines, whatever their format: a measure of how much there is to read."""
        return self._about(path)[2]

    def save(self) -> None:
        """A plan can do without."""
        if self.changed:
            with suppress(OSError):
                self.cache.parent.mkdir(parents=True, exist_ok=True)
                write_whole(self.cache, json.dumps(self.known, indent=1))

    def _about(self, path: Path) -> List[Any]:
        name = str(path.resolve())
        state = path.stat()
        touched = [state.st_size, state.st_mtime_ns]
        if name not in self.known or self.known[name][0] != touched:
            content = path.read_bytes()
            # A gzip file has a date in it, which says nothing of what is in it.
            with suppress(OSError, EOFError, zlib.error):
                content = gzip.decompress(content) if content.startswith(GZIP) else content
            digest = hashlib.sha256(content).hexdigest()
            self.known[name] = [touched, digest, len(content.split())]
            self.changed = True
        return self.known[name]
