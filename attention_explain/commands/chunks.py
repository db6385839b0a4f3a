"""
Long work that survives a kill: finished chunks are saved next to the output, and the same command continues
from there. The content of the chunks is up to the job. The options of the command are recorded with them, so
that a conflict with a later command is found before a model is loaded.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyarrow
from filelock import FileLock, Timeout

from attention_explain import signals
from attention_explain.errors import InputError
from attention_explain.files.atomic import check_new
from attention_explain.files.records import read_record, write_record
from attention_explain.files.tables import ROW, DamagedFileError, read_sealed, write_sealed
from attention_explain.messages import shorten
from attention_explain.output import close_progress_bars, describe_write_errors, writing

NOTE = "job.json"
OPTIONS = "options.json"
# The complete output before it is moved to its final name, and a mark that it is ready to be moved.
COMPLETE = "whole.parquet"
MERGED = "merged"
# The key in the job's description for the division of the texts into chunks.
CHUNKS = "portions"
# Metadata of a chunk: the hash of its job, and its counts.
JOB = b"job"
COUNTS = b"record"


class ChunkStore:
    """
    The saved chunks of a job.

    # Parameters

    output : `Path`
        The chunks are in the folder `output` + ".parts".
    job : `Dict[str, Any]`
        Everything that determines the content of the chunks, as JSON. Chunks of another job are not used.
    options : `Dict[str, Any]`, optional
        The options of the command, as the user typed them.
    """

    def __init__(
        self, output: Path, job: dict[str, Any], options: dict[str, Any] | None = None
    ) -> None:
        self.output = output
        self._options = options or {}
        self.folder = _folder(output)
        text = json.dumps(job, sort_keys=True)
        self._job = json.loads(text)
        self._job_hash = hashlib.sha256(text.encode()).hexdigest().encode()
        self._replace = False

    @contextmanager
    def opened(self, replace: bool = False) -> Iterator["ChunkStore"]:
        """
        Lock the folder against other processes; the lock of a killed process is released. Raises if
        the output exists, or if chunks are damaged or of another job, unless they are to be replaced.
        """
        self._replace = replace
        with describe_write_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = _lock(self.folder)
            try:
                lock.acquire(timeout=0)
            except Timeout as error:
                raise InputError(f"{self.output}: another process is writing it") from error
        try:
            self._check_output()
            self._adopt()
            yield self
        finally:
            if self.folder.exists() and not self.finished():
                self.remove()
            lock.release()

    def _check_output(self) -> None:
        """Raise if another command has written the output in the meantime."""
        check_new(self.output, self._replace)

    def _adopt(self) -> None:
        note = self.folder / NOTE
        (self.folder / MERGED).unlink(missing_ok=True)
        # Chunks without a note are left over from an interrupted removal.
        different = ["owner"] if not note.exists() else self._differences(note)
        if different and note.exists() and not self._replace:
            raise InputError(
                f"{self.folder} has the unfinished work of another command, with other "
                f"{' and '.join(different)}; finish that one, or give --force to delete it"
            )
        for number in self.finished():
            if different or not self._is_ours(self._path(number)):
                self._path(number).unlink()
        if different:
            write_options(self.folder / OPTIONS, self._options)
            with writing(note) as unfinished:
                unfinished.write_text(json.dumps(self._job), "utf-8")

    def _differences(self, note: Path) -> list[str]:
        """What differs in the job of the existing chunks."""
        try:
            old = dict(json.loads(note.read_bytes()))
        except (ValueError, TypeError, RecursionError) as error:
            if self._replace:
                return ["content"]
            raise InputError(f"{note}: is damaged; give --force to start again") from error
        others = {name for name in {*old, *self._job} if old.get(name) != self._job.get(name)}
        # The division follows from the others, within a version.
        return sorted(others - {CHUNKS} or others)

    def _is_ours(self, path: Path) -> bool:
        """Whether the chunk belongs to this job and is undamaged."""
        try:
            return read_sealed(path).schema.metadata.get(JOB) == self._job_hash
        except DamagedFileError as error:
            if self._replace:
                return False
            raise InputError(f"{error}; give --force to compute this chunk again") from error

    def finished(self) -> set[int]:
        """The numbers of the saved chunks."""
        names = [re.fullmatch(r"(\d+)\.parquet", path.name) for path in self.folder.iterdir()]
        return {int(name[1]) for name in names if name}

    def save(self, number: int, table: pyarrow.Table, counts: dict[str, Any]) -> None:
        """
        Save a chunk. The rows of all chunks are sorted by the column `row` of `table`; rows with the
        same value keep their order. `counts` are saved as JSON.
        """
        about = {JOB: self._job_hash, COUNTS: json.dumps(counts).encode()}
        with writing(self._path(number)) as unfinished:
            write_sealed(table.replace_schema_metadata(about), unfinished)

    def merged(self) -> tuple[pyarrow.Table, list[dict[str, Any]]]:
        """All rows, in order, and the counts of the chunks."""
        self._check_output()
        tables = [read_sealed(self._path(number)) for number in sorted(self.finished())]
        counts = [json.loads(table.schema.metadata[COUNTS]) for table in tables]
        table = pyarrow.concat_tables([table.replace_schema_metadata() for table in tables])
        return table.sort_by(ROW).drop_columns([ROW]), counts

    @contextmanager
    def completing(self) -> Iterator[Path]:
        """Give a path to write the output to; on exit it is moved to its final name, and the chunks are removed."""
        complete = self.folder / COMPLETE
        yield complete
        with describe_write_errors(self.output):
            (self.folder / MERGED).touch()
            os.replace(complete, self.output)
        self.remove()

    def remove(self) -> None:
        """Remove all chunks."""
        _remove(self.folder)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.parquet"


class MemoryStore:
    """Chunks in memory, for work that no later process continues."""

    def __init__(self) -> None:
        self._chunks: dict[int, tuple[pyarrow.Table, dict[str, Any]]] = {}

    def finished(self) -> set[int]:
        """The numbers of the chunks."""
        return set(self._chunks)

    def save(self, number: int, table: pyarrow.Table, counts: dict[str, Any]) -> None:
        """As of `ChunkStore`."""
        self._chunks[number] = (table, counts)

    def merged(self) -> tuple[pyarrow.Table, list[dict[str, Any]]]:
        """As of `ChunkStore`."""
        tables, counts = zip(*(self._chunks[number] for number in sorted(self._chunks)))
        return pyarrow.concat_tables(tables).sort_by(ROW).drop_columns([ROW]), list(counts)


@contextmanager
def resumable(store: ChunkStore, exits: bool = True) -> Iterator[None]:
    """Tell a user who stops the work that it can be resumed, and end the process if it `exits`."""
    try:
        yield
    except KeyboardInterrupt as error:
        call = "command" if exits else "call"
        if store.folder.exists() and not store.finished():
            advice = f"nothing of {store.output} was finished; the same {call} starts again"
        else:
            advice = f"finished work is in {store.folder}; the same {call} continues from there"
        close_progress_bars()
        print(f"\nstopped; {advice}", file=sys.stderr)
        if not exits:
            raise
        sys.exit(signals.exit_code(error))


def check_unfinished(output: Path, options: dict[str, Any]) -> None:
    """Raise, before a model is loaded, if unfinished work of this output has other options."""
    folder = _folder(output)
    if (folder / NOTE).exists():
        remedy = "give the same options, or --force to delete the unfinished work"
        check_options(folder / OPTIONS, options, f"{folder}: the unfinished work", remedy)


def clear_merged(output: Path) -> None:
    """Remove the chunks of a complete output, after a kill during their removal."""
    folder = _folder(output)
    if not folder.is_dir() or not output.exists():
        return
    with suppress(Timeout, OSError), _lock(folder).acquire(timeout=0):
        merged = (folder / MERGED).exists() and not (folder / COMPLETE).exists()
        if merged or not (folder / NOTE).exists():
            _remove(folder)


def _folder(output: Path) -> Path:
    return output.with_name(output.name + ".parts")


def _lock(folder: Path) -> FileLock:
    return FileLock(folder / "lock")


def _remove(folder: Path) -> None:
    """Remove the note first: chunks without a note are not used."""
    with suppress(OSError):
        (folder / NOTE).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)


def write_options(path: Path, options: Mapping[str, Any]) -> None:
    """Record the options by the names that users type."""
    write_record(path, _as_json(options))


def check_options(path: Path, options: Mapping[str, Any], work: str, remedy: str) -> None:
    """Raise if the options of the existing work are recorded and differ from these."""
    recorded = read_record(path)
    if recorded is None:
        return
    differences = [
        f"--{name} is {_to_text(value)} now and was {_to_text(recorded[name])}"
        for name, value in _as_json(options).items()
        if name in recorded and recorded[name] != value
    ]
    if differences:
        raise InputError(f"{work} was made with other options: {'; '.join(differences)}; {remedy}")


def _as_json(options: Mapping[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(dict(options)))


def _to_text(value: Any) -> str:
    if value in (None, "", False):
        return "not given"
    if value is True:
        return "given"
    text = value if isinstance(value, str) else json.dumps(value)
    return shorten(text)
