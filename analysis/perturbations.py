"""Perturbation files, as `allennlp perturb` writes them: what other attention would have done."""

from pathlib import Path
from typing import Any, Dict, Union

from analysis.measures.scores import Scores
from analysis.text_files import TextFile, read_text_file

METADATA = b"attention_explain.perturbations"
KNOWN_FORMATS = (1,)


class Perturbations(TextFile):
    """The table has the model's `attention`, and the fields of each perturbation as `name.field`."""

    @property
    def declared(self) -> Dict[str, Any]:
        return self.metadata["perturbations"]

    @property
    def attention(self) -> Scores:
        """The model's own."""
        return Scores.of(self.table["attention"])


def load_perturbations(path: Union[str, Path]) -> Perturbations:
    """The file at the path; raises `AnalysisError` for what is no perturbation file, or a damaged one."""
    path = Path(path)
    kind = ("perturbation", "allennlp perturb", KNOWN_FORMATS, "perturbations", ["attention"])
    return Perturbations(path, *read_text_file(path, METADATA, *kind))
