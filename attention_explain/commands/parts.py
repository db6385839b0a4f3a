"""
Long work that survives a kill: what is finished lies in parts beside the output, and the same
command goes on from there. What the parts hold is not known here.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

import pyarrow
from filelock import FileLock, Timeout

from attention_explain.commands.startup import interrupts
from attention_explain.errors import InputError
from attention_explain.files.options import check_options, write_options
from attention_explain.files.sealed import Damaged, read_sealed, write_sealed
from attention_explain.output import check_new, close_progress_bars, explained_failures, writing

NOTE = "job.json"
OPTIONS = "options.json"
# The output, as long as it is not at its place; and a sign that it was there, ready to be put there.
WHOLE = "whole.parquet"
MERGED = "merged"
# Of a job: which texts are in which part.
PORTIONS = "portions"
# A part's table has this column, the place of each row in the whole,
ROW = "row"
# and in its metadata the hash of its job, and a record about it.
JOB = b"job"
RECORD = b"record"


class Parts:
    """
    # Parameters

    output : `Path`
        The parts are in the folder `output` + ".parts".
    job : `Dict[str, Any]`
        All that decides the content of the parts, as JSON. Parts of another job are not used.
    options : `Dict[str, Any]`, optional
        The options of the command, as the user typed them.
    """

    def __init__(
        self, output: Path, job: Dict[str, Any], options: Optional[Dict[str, Any]] = None
    ) -> None:
        self.output = output
        self._options = options or {}
        self.folder = _folder(output)
        text = json.dumps(job, sort_keys=True)
        self._job = json.loads(text)
        self._job_hash = hashlib.sha256(text.encode()).hexdigest().encode()
        self._replace = False

    @contextmanager
    def opened(self, replace: bool = False) -> Iterator["Parts"]:
        """
        Holds the folder against other processes; one that was killed holds it no longer. An output
        that is there, parts of another job and damaged ones are errors, unless they are to be
        replaced.
        """
        self._replace = replace
        with explained_failures(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = _lock(self.folder)
            try:
                lock.acquire(timeout=0)
            except Timeout as error:
                raise InputError(f"{self.output}: another process is at work on it") from error
        try:
            self._check_output()
            self._adopt()
            yield self
        finally:
            # Nothing finished, nothing to keep.
            if self.folder.exists() and not self.finished():
                self.remove()
            lock.release()

    def _check_output(self) -> None:
        """A quicker command may have written it since this one began."""
        check_new(self.output, self._replace)

    def _adopt(self) -> None:
        note = self.folder / NOTE
        (self.folder / MERGED).unlink(missing_ok=True)
        # Parts that nobody owns are whatever a kill in the middle of a removal has left.
        different = ["owner"] if not note.exists() else self._differences(note)
        if different and note.exists() and not self._replace:
            raise InputError(
                f"{self.folder} has the unfinished work of another command, with other "
                f"{' and '.join(different)}; finish that one, or give --force to drop it"
            )
        for number in self.finished():
            if different or not self._is_ours(self._path(number)):
                self._path(number).unlink()
        if different:
            write_options(self.folder / OPTIONS, self._options)
            with writing(note) as unfinished:
                unfinished.write_text(json.dumps(self._job), "utf-8")

    def _differences(self, note: Path) -> List[str]:
        """What is another in the job of the parts that are there."""
        try:
            old = dict(json.loads(note.read_bytes()))
        except (ValueError, TypeError, RecursionError) as error:
            if self._replace:
                return ["content"]
            raise InputError(f"{note}: is damaged; give --force to begin the work again") from error
        others = {name for name in {*old, *self._job} if old.get(name) != self._job.get(name)}
        # It follows from the others, as long as it is the same version.
        return sorted(others - {PORTIONS} or others)

    def _is_ours(self, path: Path) -> bool:
        """Of this very job, and as it was written."""
        try:
            return read_sealed(path).schema.metadata.get(JOB) == self._job_hash
        except Damaged as error:
            if self._replace:
                return False
            raise InputError(f"{error}; give --force to do this part of the work again") from error

    def finished(self) -> Set[int]:
        """The numbers of the parts that are there."""
        names = [re.fullmatch(r"(\d+)\.parquet", path.name) for path in self.folder.iterdir()]
        return {int(name[1]) for name in names if name}

    def save(self, number: int, table: pyarrow.Table, record: Dict[str, Any]) -> None:
        """
        `table` has a column `row`, by which the rows of all parts are put in order; those with the
        same value stay as they are. `record` is something to remember about the part, as JSON.
        """
        about = {JOB: self._job_hash, RECORD: json.dumps(record).encode()}
        with writing(self._path(number)) as unfinished:
            write_sealed(table.replace_schema_metadata(about), unfinished)

    def merged(self) -> Tuple[pyarrow.Table, List[Dict[str, Any]]]:
        """All rows, in order, and the records of the parts, for an output that is still missing."""
        self._check_output()
        tables = [read_sealed(self._path(part)) for part in sorted(self.finished())]
        records = [json.loads(table.schema.metadata[RECORD]) for table in tables]
        whole = pyarrow.concat_tables([table.replace_schema_metadata() for table in tables])
        return whole.sort_by(ROW).drop_columns([ROW]), records

    @contextmanager
    def becoming_whole(self) -> Iterator[Path]:
        """Gives a name to write the output to; on leaving it takes its place, and the parts are gone."""
        whole = self.folder / WHOLE
        yield whole
        with explained_failures(self.output):
            (self.folder / MERGED).touch()
            os.replace(whole, self.output)
        self.remove()

    def remove(self) -> None:
        _remove(self.folder)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.parquet"


@contextmanager
def resumable(parts: Parts) -> Iterator[None]:
    """Whoever stops the work is told that it can go on."""
    try:
        yield
    except KeyboardInterrupt as error:
        if parts.folder.exists() and not parts.finished():
            said = f"nothing of {parts.output} was finished; the same command begins it again"
        else:
            said = f"what is finished is in {parts.folder}, and the same command goes on from there"
        close_progress_bars()
        print(f"\nstopped; {said}", file=sys.stderr)
        sys.exit(interrupts.exit_code(error))


def check_unfinished(output: Path, options: Dict[str, Any]) -> None:
    """Raises, before a model is loaded, if unfinished work of this output has other options."""
    folder = _folder(output)
    if (folder / NOTE).exists():
        remedy = "give the same options, or --force to drop the unfinished work"
        check_options(folder / OPTIONS, options, f"{folder}: the unfinished work", remedy)


def clear_merged(output: Path) -> None:
    """Removes the parts of an output that is whole, if a kill came before they were gone."""
    folder = _folder(output)
    if not folder.is_dir() or not output.exists():
        return
    with suppress(Timeout, OSError), _lock(folder).acquire(timeout=0):
        merged = (folder / MERGED).exists() and not (folder / WHOLE).exists()
        if merged or not (folder / NOTE).exists():
            _remove(folder)


def _folder(output: Path) -> Path:
    return output.with_name(output.name + ".parts")


def _lock(folder: Path) -> FileLock:
    return FileLock(folder / "lock")


def _remove(folder: Path) -> None:
    """The note first: whatever is left without it is nobody's."""
    with suppress(OSError):
        (folder / NOTE).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
