"""The folders of finished studies: what was run, on what, and what came of it."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Sequence

import pandas

from analysis.claims.section import NAME as CLAIMS
from analysis.errors import AnalysisError
from analysis.output import MANIFEST, read_manifest
from analysis.report.results import in_order

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

    def claims(self) -> pandas.DataFrame:
        """Empty if the tables are such as no claim rests on."""
        path = self.folder / f"{CLAIMS}.csv"
        return pandas.read_csv(path) if path.is_file() else pandas.DataFrame()

    def table(self, name: str) -> pandas.DataFrame:
        path = self.folder / f"{name}.csv"
        return pandas.read_csv(path) if path.is_file() else pandas.DataFrame()


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
    return sorted(found, key=lambda study: (_year(study.account["title"]), study.folder))


def _year(title: str) -> int:
    years = re.findall(r"\b(?:19|20)\d\d\b", title)
    return int(years[-1]) if years else LATER
