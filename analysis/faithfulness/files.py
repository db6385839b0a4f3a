"""
Faithfulness files, as `allennlp faithfulness` writes them: a row a text, method, measure, erasure and
bin, and the two ends of the scale among the methods.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import pandas

from analysis.errors import AnalysisError
from analysis.text_files import TextFile, read_text_file

METADATA = b"faithfulness"
KNOWN_FORMATS = (1,)
COLUMNS = dict.fromkeys(
    ("id", "label", "predicted", "method", "measure", "erasure", "k", "value", "curve", "undefined")
)
# The ends of the scale: the mean over random orders, and the best order that a search found.
RANDOM, SEARCH = "random", "search"
# What files from before measures had these options were made with.
NEW_OPTIONS: Dict[str, Dict[str, Any]] = {
    "parameter_randomization": {"without": [], "intermediate": True},
    "sensitivity": {"without": []},
}
# The share of tokens whose rank is also another's; no measure of faithfulness.
TIED = "tied"


@dataclass(frozen=True, order=True)
class FaithfulnessMeasure:
    """
    What was measured, under which erasure.

    erasure : "" where nothing is erased.
    k : the share of tokens; None for a mean over such shares, for a whole curve, and where there are
        none.
    """

    name: str
    erasure: str = ""
    k: Optional[float] = None

    def __str__(self) -> str:
        share = "" if self.k is None else f" at {self.k:g}"
        return f"{self.name}{share}" + (f" ({self.erasure})" if self.erasure else "")


class FaithfulnessFile(TextFile):
    """The table is in long form: a text has many rows."""

    @property
    def declared(self) -> Dict[str, Any]:
        return {
            **{f"method {name}": each for name, each in self.metadata["methods"].items()},
            **self.metadata["measures"],
        }

    @property
    def methods(self) -> List[str]:
        """Those that were judged, without the ends of the scale."""
        return list(self.metadata["methods"])

    def higher_is_better(self, measure: str) -> bool:
        """Whether a large value speaks for a method."""
        return bool(self.metadata["measures"][measure].get("higher_is_better", True))

    @cached_property
    def texts(self) -> pandas.DataFrame:
        return self.table.drop_duplicates("id")

    @property
    def ids(self) -> List[str]:
        """Of the texts, in the order of the file."""
        return self.texts["id"].tolist()

    @cached_property
    def by_measure(self) -> Dict[FaithfulnessMeasure, pandas.DataFrame]:
        """The rows of each measure, in the order of the file."""
        keys = self.table[["measure", "erasure", "k"]].copy()
        keys["erasure"] = keys["erasure"].fillna("")
        grouped = self.table.groupby(
            [keys["measure"], keys["erasure"], keys["k"]], dropna=False, sort=False
        )
        return {
            FaithfulnessMeasure(name, erasure, None if pandas.isna(k) else round(float(k), 6)): rows
            for (name, erasure, k), rows in grouped
        }


def load_faithfulness(path: Union[str, Path]) -> FaithfulnessFile:
    """The file of that path; raises `AnalysisError` if it is none."""
    path = Path(path)
    kind = ("faithfulness", "allennlp faithfulness", KNOWN_FORMATS, "methods", (), COLUMNS)
    file = FaithfulnessFile(path, *read_text_file(path, METADATA, *kind))
    if not isinstance(file.metadata.get("measures"), dict):
        raise AnalysisError(f"{path}: its metadata have no object 'measures'")
    for about in file.metadata["measures"].values():
        options = about.get("parameters", {})
        for option, usual in NEW_OPTIONS.get(options.get("type"), {}).items():
            options.setdefault(option, usual)
    for name in file.table["measure"].unique():
        if name != TIED and name not in file.metadata["measures"]:
            raise AnalysisError(f"{path}: has rows of '{name}', of which its metadata say nothing")
    return file
