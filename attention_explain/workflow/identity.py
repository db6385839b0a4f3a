"""
The identity of a run: a hash of everything that decides its result, independent of names and paths. Data files
count by their content, other runs by their own hash. Hashes and line lengths of data files are cached until a
file changes.
"""

import gzip
import hashlib
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.model_config import ModelConfig
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


# Part of every hash; to be raised when commands give other results for the same config.
FORMAT = 1
LENGTH = 10
# File names must not be too long.
LONGEST_NAME = 150
# Endings of settings that name a file, and of those that may name one.
FILE_ENDINGS = ("_path", "_file", "held_out")
PERHAPS_FILES = (*FILE_ENDINGS, "model_name")
DATA_ENDING = "_data_path"
# In `archive.tar.gz!folder`, a folder inside an archive.
ARCHIVE_MARK = "!"
URL = "://"
# Renamed options of methods, by type: hashes use the original names, so that existing files are found.
ORIGINAL_OPTIONS = {"at": "of", "of": "output"}
ORIGINAL_NAMES = {"leave-one-out": ORIGINAL_OPTIONS, "occlusion": ORIGINAL_OPTIONS}
# The method whose scores guide another model.
GUIDING = "attention"
# References to other runs, as lib/study.libsonnet writes them.
REFERENCE = re.compile(r"<(run|guide|scores|attributions):([^<>/]+)/?([^<>]*)>")


@dataclass(frozen=True)
class Reference:
    """
    A reference to another run of the study.

    kind : `run` for its folder, `guide` for its attention on all splits, `scores` for the scores of any method
        on all splits, `attributions` for a file.
    run : the name of the other run.
    listed : the name of the attributions; or the method of the scores, as a name or as a JSON object.
    """

    kind: str
    run: str
    listed: str = ""

    def seed(self, own: int, one_base: int | None) -> int:
        """
        The seed of the other run: by default that of the run with the reference, so that each seed has its own
        base. With `one_base`, as published, all seeds are compared with the same base. Masked texts always come
        from a chain of runs with the same seed.
        """
        return own if one_base is None or self.kind == "scores" else one_base

    @property
    def method(self) -> str | None:
        """The method whose scores on all splits are meant, if any."""
        return {"guide": GUIDING, "scores": self.listed}.get(self.kind)


def hash_of(value: Any) -> str:
    """A hash of a JSON value, independent of the order of keys."""
    text = json.dumps([FORMAT, value], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def with_original_names(methods: Sequence[Any]) -> list[Any]:
    """Methods with the original names of their options, for hashes."""
    return [
        {
            ORIGINAL_NAMES.get(str(method.get("type")), {}).get(key, key): value
            for key, value in method.items()
        }
        if isinstance(method, dict)
        else method
        for method in methods
    ]


def with_references(value: Any, replace: Callable[[Reference], str]) -> Any:
    """The config with each reference in its strings replaced."""
    if isinstance(value, dict):
        return {key: with_references(one, replace) for key, one in value.items()}
    if isinstance(value, list):
        return [with_references(one, replace) for one in value]
    if isinstance(value, str):
        return REFERENCE.sub(lambda match: replace(Reference(*match.groups())), value)
    return value


def references(value: Any) -> set[str]:
    """The names of all runs that a config refers to."""
    names: set[str] = set()

    def note(reference: Reference) -> str:
        names.add(reference.run)
        return ""

    with_references(value, note)
    return names


def with_contents(value: Any, contents: Contents) -> Any:
    """
    The config with each file and folder, also one inside an archive, replaced by the hash of its content. URLs
    and the splits of the generated corpus stay as they are.
    """

    def content(setting: str, named: str) -> str:
        if not setting.endswith(PERHAPS_FILES):
            return named
        path = Path(named)
        if named and path.exists():
            # The ids of texts contain the name of their folder.
            name = f"/{path.absolute().name}" if path.is_dir() else ""
            return f"sha256:{contents.sha256(path)}{name}"
        archive, mark, inner = named.rpartition(ARCHIVE_MARK)
        if Path(archive).is_file():
            return f"sha256:{contents.sha256(Path(archive))}{mark}{inner}"
        return named

    return _with_names(value, content)


def missing_files(value: Any) -> list[str]:
    """Files that a config names and that do not exist, except URLs and files that other runs make."""
    missing: list[str] = []

    def note(setting: str, named: str) -> str:
        elsewhere = URL in named or REFERENCE.search(named)
        if named and setting.endswith(FILE_ENDINGS) and not elsewhere:
            archive = named.rpartition(ARCHIVE_MARK)[0]
            if not (Path(named).exists() or Path(archive).is_file()):
                missing.append(named)
        return named

    _with_names(value, note)
    return missing


def _with_names(value: Any, replace: Callable[[str, str], str], setting: str = "") -> Any:
    """
    The config with each string replaced, depending on its setting. The splits of the generated corpus, which are
    not files, stay as they are.
    """
    if isinstance(value, dict):
        return {
            name: one
            if name.endswith(DATA_ENDING) and is_embedded(value)
            else _with_names(one, replace, name)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_with_names(one, replace, setting) for one in value]
    return replace(setting, value) if isinstance(value, str) else value


def is_embedded(config: dict[str, Any]) -> bool:
    """Whether the data are generated, not read from files."""
    reader = config.get("dataset_reader")
    return (reader.get("type") if isinstance(reader, dict) else reader) == "planted"


def fit_for_a_file(name: str) -> str:
    """A valid file name: the name itself, or its plain letters and a hash."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return name if plain == name else f"{plain.strip('-')[:LONGEST_NAME]}-{hash_of(name)}"


def name_of(config: dict[str, Any]) -> str:
    """A readable name that is valid as a folder name: `sst-bilstm-tanh-softmax-adversary-0.001-7`."""
    model = ModelConfig(config)
    try:
        words = [model.corpus, model.registered_name]
    except (AttributeError, KeyError, TypeError):
        # Not our classifier, or an invalid config, which training will report.
        other = config.get("model")
        words = [str(other.get("type") if isinstance(other, dict) else other)]
    words.append(str(config.get("pytorch_seed", "")))
    return re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(words)).strip("-")[-LONGEST_NAME:]
