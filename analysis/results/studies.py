"""The folders of finished studies: what was run, on what, and what came of it."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas

from analysis.errors import AnalysisError
from analysis.formats import read_csv
from analysis.manifest import MANIFEST, in_order, read_listed, read_manifest, year_of
from attention_explain.files.records import DamagedFileError, read_record

ACCOUNT = "study.json"
LATER = 10000
# Of a study whose tables all lie in folders of its corpora.
NOTHING_LISTED: dict[str, Any] = {"entries": [], "files": [], "commands": {}, "written": {}}
# What the page tells of a study.
OF_AN_ACCOUNT: dict[str, type | tuple[type, ...]] = {
    "title": str,
    "command": str,
    "corpora": list,
    "seeds": list,
    "seconds": dict,
    "machine": dict,
    "versions": dict,
    "elapsed": (int, float),
    "cores": int,
    "gpus": int,
    "runs": int,
    "recovered": int,
}


@dataclass(frozen=True)
class StudyResults:
    """
    folder : of the tables; a corpus of a study may have one of its own.
    account : what the workflow says of the study, `workflow/account.py`.
    manifest : of the folder.
    below : whether it is what a study has for one corpus.
    """

    folder: Path
    account: dict[str, Any]
    manifest: dict[str, Any]
    below: bool = False

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What the manifest lists, in the order of the papers."""
        return in_order(self.manifest["entries"])

    @property
    def command(self) -> str:
        """That makes it again."""
        return self.account["command"]

    @property
    def seeds(self) -> str:
        """How many, in words."""
        number = len(self.account["seeds"])
        return f"{number} seed{'s' if number > 1 else ''}"

    @property
    def name(self) -> str:
        """Of the folder that has the account."""
        return self.folder.parent.name if self.below else self.folder.name

    @property
    def title(self) -> str:
        """With its corpora."""
        corpora = ", ".join(self.account["corpora"])
        return f"{self.account['title']}: {corpora}"

    def table(self, name: str) -> pandas.DataFrame:
        """As it was written; empty if the study has none."""
        file = f"{name}.csv"
        if not (self.folder / file).is_file():
            return pandas.DataFrame()
        return read_csv(io.BytesIO(self.read(file)))

    def read(self, file: str) -> bytes:
        """What is in a file of the folder, which has to be as it was written."""
        return read_listed(self.folder, self.manifest, file)


def find_studies(folders: Sequence[Path]) -> list[StudyResults]:
    """The studies of these folders: papers by year, then others; corpora below their study."""
    studies: list[StudyResults] = []
    for folder in folders:
        path = folder / ACCOUNT
        try:
            account = read_record(path)
        except DamagedFileError as error:
            raise AnalysisError(str(error)) from error
        if account is None:
            raise AnalysisError(f"{folder}: no finished study, {ACCOUNT} is missing")
        if not all(isinstance(account.get(key), kind) for key, kind in OF_AN_ACCOUNT.items()):
            raise AnalysisError(f"{path}: is no account of a study")
        inner = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
        for each in (folder, *inner):
            listed = read_manifest(each) if (each / MANIFEST).exists() else NOTHING_LISTED
            studies.append(StudyResults(each, account, listed, each != folder))
    return sorted(studies, key=lambda study: (year_of(study.account["title"], LATER), study.folder))


def joined(studies: Sequence[StudyResults], name: str) -> pandas.DataFrame:
    """The rows of a table in all studies that have it, under each other; empty if none has."""
    tables = [table for table in (study.table(name) for study in studies) if len(table)]
    return pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()
