"""Perturbation files of `allennlp perturb`: a model's output with other attention."""

from pathlib import Path
from typing import Any

from analysis.measures.scores import Scores
from analysis.text_files import TextFile, read_table
from attention_explain.files.attributions import ATTENTION
from attention_explain.files.perturbations import FORMAT


class Perturbations(TextFile):
    """The table has the model's `attention`, and the fields of each perturbation as `name.field`."""

    @property
    def declared(self) -> dict[str, Any]:
        return self.metadata["perturbations"]

    @property
    def attention(self) -> Scores:
        """The model's own attention."""
        return Scores.of(self.table[ATTENTION])


def load_perturbations(path: str | Path) -> Perturbations:
    """The file at the path; raises `AnalysisError` if it is damaged or not a perturbation file."""
    return Perturbations(Path(path), *read_table(path, FORMAT))
