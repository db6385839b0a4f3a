"""
Faithfulness files of `allennlp faithfulness`: one row per text, method, measure, removal method and bin. The
two ends of the scale are among the methods.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas

from analysis.errors import AnalysisError
from analysis.text_files import TextFile, read_table
from attention_explain.files.faithfulness import FORMAT, TIED


@dataclass(frozen=True, order=True)
class FaithfulnessMeasure:
    """
    A measure with its removal method.

    removal : "" if nothing is removed.
    k : the fraction of tokens; None for a mean over several, for a curve, and if there is none.
    """

    name: str
    removal: str = ""
    k: float | None = None

    def __str__(self) -> str:
        share = "" if self.k is None else f" at {self.k:g}"
        return f"{self.name}{share}" + (f" ({self.removal})" if self.removal else "")


class FaithfulnessFile(TextFile):
    """The table is in long form: each text has many rows."""

    @property
    def declared(self) -> dict[str, Any]:
        return {
            **{f"method {name}": each for name, each in self.metadata["methods"].items()},
            **self.metadata["measures"],
        }

    @property
    def methods(self) -> list[str]:
        """The methods without the ends of the scale."""
        return list(self.metadata["methods"])

    def higher_is_better(self, measure: str) -> bool:
        """Whether a larger value is better."""
        return bool(self.metadata["measures"][measure].get("higher_is_better", True))

    @cached_property
    def texts(self) -> pandas.DataFrame:
        return self.table.drop_duplicates("id")

    @property
    def ids(self) -> list[str]:
        """The ids of the texts, in the order of the file."""
        return self.texts["id"].tolist()

    @cached_property
    def by_measure(self) -> dict[FaithfulnessMeasure, pandas.DataFrame]:
        """The rows of each measure, in the order of the file."""
        keys = self.table[["measure", "erasure", "k"]].copy()
        keys["erasure"] = keys["erasure"].fillna("")
        grouped = self.table.groupby(
            [keys["measure"], keys["erasure"], keys["k"]], dropna=False, sort=False
        )
        return {
            FaithfulnessMeasure(name, removal, None if pandas.isna(k) else round(float(k), 6)): rows
            for (name, removal, k), rows in grouped
        }


def load_faithfulness(path: str | Path) -> FaithfulnessFile:
    """The file at the path; raises `AnalysisError` if it is damaged or not a faithfulness file."""
    file = FaithfulnessFile(Path(path), *read_table(path, FORMAT))
    for name in file.table["measure"].unique():
        if name != TIED and name not in file.metadata["measures"]:
            raise AnalysisError(f"{path}: has rows of '{name}', which its metadata do not describe")
    return file
