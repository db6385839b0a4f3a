"""
Long work that survives a kill: what is finished lies in parts beside the output, and the same
command goes on from there. What the parts hold is not known here.
"""

import json
import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Set, Tuple

import pyarrow
import pyarrow.parquet
from allennlp.common.checks import ConfigurationError
from filelock import FileLock, Timeout

from attention_explain.files import explained_failures, writing

JOB = "job.json"
# A part's table has this column, the place of each row in the whole, and a record about it here.
ROW = "row"
RECORD = b"record"


class Parts:
    """
    # Parameters

    output : `Path`
        The parts are in the folder `output` + ".parts".
    job : `Dict[str, Any]`
        All that decides the content of the parts, as JSON. Parts of another job are not used.
    """

    def __init__(self, output: Path, job: Dict[str, Any]) -> None:
        self.output = output
        self.folder = output.with_name(output.name + ".parts")
        self._job = json.loads(json.dumps(job))

    @contextmanager
    def opened(self, discard: bool = False) -> Iterator["Parts"]:
        """
        Holds the folder against other processes; one that was killed holds it no longer. Parts of
        another job are an error, unless they are to be discarded.
        """
        with explained_failures(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder / "lock")
            try:
                lock.acquire(timeout=0)
            except Timeout as error:
                raise ConfigurationError(
                    f"{self.output}: another process is at work on it"
                ) from error
        try:
            self._adopt(discard)
            yield self
        finally:
            # Nothing finished, nothing to keep.
            if self.folder.exists() and not self.finished():
                self.remove()
            lock.release()

    def _adopt(self, discard: bool) -> None:
        job_file = self.folder / JOB
        if job_file.exists():
            different = _differences(json.loads(job_file.read_text("utf-8")), self._job)
            if not different:
                return
            if not discard:
                raise ConfigurationError(
                    f"{self.folder} has the unfinished work of another command, with other "
                    f"{' and '.join(different)}; finish that one, or give --force to drop it"
                )
            for part in self.folder.glob("*.parquet"):
                part.unlink()
        with writing(job_file) as unfinished:
            unfinished.write_text(json.dumps(self._job), "utf-8")

    def finished(self) -> Set[int]:
        """The numbers of the parts that are there."""
        names = [re.fullmatch(r"(\d+)\.parquet", path.name) for path in self.folder.iterdir()]
        return {int(name[1]) for name in names if name}

    def save(self, number: int, table: pyarrow.Table, record: Dict[str, Any]) -> None:
        """`table` has a column `row`; `record` is something to remember about the part, as JSON."""
        table = table.replace_schema_metadata({RECORD: json.dumps(record).encode()})
        with writing(self._path(number)) as unfinished:
            pyarrow.parquet.write_table(table, unfinished)

    def merged(self) -> Tuple[pyarrow.Table, List[Dict[str, Any]]]:
        """All rows, in order, and the records of the parts."""
        tables = [pyarrow.parquet.read_table(self._path(part)) for part in sorted(self.finished())]
        records = [json.loads(table.schema.metadata[RECORD]) for table in tables]
        whole = pyarrow.concat_tables([table.replace_schema_metadata() for table in tables])
        return whole.sort_by(ROW).drop_columns([ROW]), records

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:06}.parquet"


def _differences(old: Dict[str, Any], new: Dict[str, Any]) -> List[str]:
    return sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
