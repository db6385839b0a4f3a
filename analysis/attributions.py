"""Attribution files, as `allennlp attribute` writes them: texts, predictions, scores a method."""

from pathlib import Path
from typing import Any, Dict, List, Optional, Union

import numpy

from analysis.measures.scores import Scores
from analysis.text_files import TextFile, read_text_file
from attention_explain.heatmaps.explanation import KNOWN, Rationale, markings, rationales_of

METADATA = b"attention_explain"
# Of files from before the erasing methods called these as all others do.
PLACES = ("input", "hidden")
OLD_OPTIONS = {"of": "at", "output": "of"}
KNOWN_FORMATS = (1,)
# Where the data says which tokens decide, that is one more column to agree with.
RATIONALE = "rationale"


def share_marked(rationale: Optional[Rationale]) -> Optional[numpy.ndarray]:
    """Of the annotators, by token; None where nobody has marked the text."""
    marked = markings(rationale)
    return numpy.mean([*marked], axis=0) if marked else None


class Attributions(TextFile):
    """The table has a column of scores for each of `methods`."""

    @property
    def declared(self) -> Dict[str, Any]:
        return self.metadata["interpreters"]

    @property
    def methods(self) -> List[str]:
        """The names of the columns with scores, in the order of the file."""
        return list(self.declared)

    def scores(self, method: str, absolute: bool = False) -> Scores:
        """
        Of one of the methods, or the `rationale` (of several annotators, the share who marked each
        token), of each text in the order of the table.
        """
        column = self.table[method]
        scores = Scores.of(column.map(share_marked) if method == RATIONALE else column)
        return scores.absolute() if absolute else scores

    def signed(self, method: str) -> bool:
        """Whether the method tells what speaks for the class from what speaks against it."""
        return bool(self.declared.get(method, {}).get("signed"))

    @property
    def explains_gold(self) -> numpy.ndarray:
        """Whether the class that is explained is a text's gold label. Shape: (texts,)"""
        target = self.metadata.get("target")
        explained = self.table["predicted"] if target is None else target
        return (self.table["label"] == explained).to_numpy(dtype=bool)

    @property
    def rationales(self) -> str:
        """Who says which tokens decide: `known causes`, or `marked by people`."""
        return rationales_of(self.metadata["config"])

    @property
    def has_known_causes(self) -> bool:
        """Whether its texts mark what is known to decide their labels."""
        return RATIONALE in self.table and self.rationales == KNOWN


def load_attributions(path: Union[str, Path]) -> Attributions:
    """The file at the path; raises `AnalysisError` for what is no attribution file, or a damaged one."""
    path = Path(path)
    kind = ("attribution", "allennlp attribute", KNOWN_FORMATS, "interpreters")
    file = Attributions(path, *read_text_file(path, METADATA, *kind))
    for declared in file.declared.values():
        _rename_options(declared)
    return file


def _rename_options(declared: Dict[str, Any]) -> None:
    """Lets a method of an old file have the options that the same method has today."""
    options = declared.get("parameters")
    if isinstance(options, dict) and options.get("of") in PLACES:
        renamed = {OLD_OPTIONS.get(name, name): value for name, value in options.items()}
        declared["parameters"] = renamed
