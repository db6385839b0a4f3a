"""
Hashes and line lengths of data files and folders, cached until a file changes.
"""

import gzip
import hashlib
import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attention_explain.files.records import DamagedFileError, read_record, write_record

# The key in the cache file.
KNOWN = "lines of files"
GZIP = b"\x1f\x8b"
# Lines are counted by their lengths in words, rounded up to a multiple of this.
STEP = 10
# Number of lines and of words, by line length.
ByLength = dict[str, list[int]]


@dataclass(frozen=True)
class Lines:
    """The number of lines and of words."""

    number: int = 0
    words: int = 0

    def __add__(self, other: "Lines") -> "Lines":
        return Lines(self.number + other.number, self.words + other.words)


@dataclass
class Contents:
    """
    Hashes and line lengths of files.

    cache : the file that stores them.
    walked : folders that this process has read, which is done once per plan.
    """

    cache: Path
    known: dict[str, list[Any]] = field(default_factory=dict)
    changed: bool = False
    walked: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with suppress(DamagedFileError):
            known = (read_record(self.cache) or {}).get(KNOWN)
            self.known = known if isinstance(known, dict) else {}

    def sha256(self, path: Path) -> str:
        """The hash of a file or folder."""
        return self._about(path)[1]

    def lines(self, path: Path, longest: float | None = None) -> Lines:
        """
        All lines in any format, or approximately those of at most `longest` words.
        """
        return sum(
            (
                Lines(*counted)
                for length, counted in self._about(path)[2].items()
                if longest is None or int(length) < longest + STEP
            ),
            Lines(),
        )

    def save(self) -> None:
        """Write the cache; errors are ignored."""
        if self.changed:
            with suppress(OSError):
                self.cache.parent.mkdir(parents=True, exist_ok=True)
                write_record(self.cache, {KNOWN: self.known}, indent=1)

    def _about(self, path: Path) -> list[Any]:
        name = str(path.resolve())
        if path.is_dir():
            if name not in self.walked:
                self.walked[name] = self._about_folder(path, name)
            return self.walked[name]
        return self._remembered(name, _touched(path), lambda: _read(path))

    def _about_folder(self, path: Path, name: str) -> list[Any]:
        """One entry for all files of a folder, which can be thousands."""
        files = {below: path / below for below in _files_below(path)}
        touched = [len(files), _digest([[below, *_touched(one)] for below, one in files.items()])]

        def read() -> tuple[str, ByLength]:
            every = {below: _read(one) for below, one in files.items()}
            digest = _digest({below: one[0] for below, one in every.items()})
            return digest, _together(one[1] for one in every.values())

        return self._remembered(name, touched, read)

    def _remembered(
        self, name: str, touched: list[Any], read: Callable[[], tuple[str, ByLength]]
    ) -> list[Any]:
        if name not in self.known or self.known[name][0] != touched:
            self.known[name] = [touched, *read()]
            self.changed = True
        return self.known[name]


def _touched(path: Path) -> list[int]:
    state = path.stat()
    return [state.st_size, state.st_mtime_ns]


def _read(path: Path) -> tuple[str, ByLength]:
    content = path.read_bytes()
    # The header of a gzip file contains a date, so the hash is that of the content.
    with suppress(OSError, EOFError, zlib.error):
        content = gzip.decompress(content) if content.startswith(GZIP) else content
    return hashlib.sha256(content).hexdigest(), _by_length(content)


def _by_length(content: bytes) -> ByLength:
    lengths = Counter(len(line.split()) for line in content.splitlines())
    return _together(
        {str(-(-length // STEP) * STEP): [number, number * length]}
        for length, number in lengths.items()
    )


def _together(every: Iterable[ByLength]) -> ByLength:
    both: ByLength = {}
    for one in every:
        for length, counted in one.items():
            both[length] = [sum(pair) for pair in zip(both.get(length, (0, 0)), counted)]
    return both


def _files_below(folder: Path) -> list[str]:
    """Relative paths of the visible files; follows links, but not in circles."""
    files, seen = [], set()
    for here, folders, names in os.walk(folder, followlinks=True):
        seen.add(os.path.realpath(here))
        folders[:] = [
            name
            for name in folders
            if _is_visible(name) and os.path.realpath(os.path.join(here, name)) not in seen
        ]
        paths = (Path(here, name) for name in filter(_is_visible, names))
        files += [path.relative_to(folder).as_posix() for path in paths if path.is_file()]
    return sorted(files)


def _is_visible(name: str) -> bool:
    return not name.startswith(".")


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
