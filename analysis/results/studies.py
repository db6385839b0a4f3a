"""The folders of finished studies: what was run, on what, and what came of it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Sequence

import pandas

from analysis.errors import AnalysisError
from analysis.formats import read_csv
from analysis.manifest import MANIFEST, read_manifest
from analysis.report.results import in_order, year_of

ACCOUNT = "study.json"
LATER = 10000


@dataclass(frozen=True)
class StudyResults:
    """
    folder : of the tables; a corpus of a study may have one of its own.
    account : what the workflow says of the study, `workflow/account.py`.
    entries : of the manifest, in the order of the papers.
    """

    folder: Path
    account: Dict[str, Any]
    entries: List[Dict[str, Any]]

    @property
    def command(self) -> str:
        return self.account["command"]

    @property
    def seeds(self) -> str:
        number = len(self.account["seeds"])
        return f"{number} seed{'s' if number > 1 else ''}"

    @property
    def title(self) -> str:
        corpora = ", ".join(self.account["corpora"])
        return f"{self.account['title']}: {corpora}"

    def table(self, name: str) -> pandas.DataFrame:
        """Empty if the study has none."""
        path = self.folder / f"{name}.csv"
        return read_csv(path) if path.is_file() else pandas.DataFrame()


def find_studies(folders: Sequence[Path]) -> List[StudyResults]:
    """
    Those of papers as they appeared, then others; what a folder holds for each corpus comes behind it.
    """
    found: List[StudyResults] = []
    for folder in folders:
        path = folder / ACCOUNT
        try:
            account = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise AnalysisError(f"{folder}: no finished study, {ACCOUNT} is missing") from None
        except (OSError, ValueError) as error:
            raise AnalysisError(f"{path}: cannot be read ({error})") from error
        inner = sorted(path.parent for path in folder.glob(f"*/{MANIFEST}"))
        for each in (folder, *inner):
            found.append(StudyResults(each, account, in_order(read_manifest(each)["entries"])))
    return sorted(found, key=lambda study: (year_of(study.account["title"], LATER), study.folder))


def joined(studies: Sequence[StudyResults], name: str) -> pandas.DataFrame:
    """A table as all studies that have it have it."""
    tables = [table for table in (study.table(name) for study in studies) if len(table)]
    return pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()
