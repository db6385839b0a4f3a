"""Attribution files of `allennlp attribute`: texts, predictions, and scores per method."""

from pathlib import Path
from typing import Any

import numpy

from analysis.measures.scores import Scores
from analysis.text_files import TextFile, read_table
from attention_explain.files.attributions import (
    FORMAT,
    KNOWN,
    RATIONALE,
    Rationale,
    markings,
    rationales_of,
)


def share_marked(rationale: Rationale | None) -> numpy.ndarray | None:
    """The fraction of annotators who marked each token; None if nobody marked the text."""
    marked = markings(rationale)
    return numpy.mean([*marked], axis=0) if marked else None


def usual_lengths(lengths: numpy.ndarray) -> tuple[int, int]:
    """The middle half of them: the shortest texts have the extreme agreements, at random."""
    low, high = numpy.quantile(lengths, [0.25, 0.75], method="nearest")
    return int(low), int(high)


class Attributions(TextFile):
    """The table has a column of scores for each of `methods`."""

    @property
    def declared(self) -> dict[str, Any]:
        return self.metadata["interpreters"]

    @property
    def methods(self) -> list[str]:
        """The names of the columns with scores, in the order of the file."""
        return list(self.declared)

    def scores(self, method: str, absolute: bool = False) -> Scores:
        """
        The scores of a method for each text in the order of the table; or the `rationale`, as the
        fraction of annotators who marked each token.
        """
        column = self.table[method]
        scores = Scores.of(column.map(share_marked) if method == RATIONALE else column)
        return scores.absolute() if absolute else scores

    @property
    def token_counts(self) -> numpy.ndarray:
        """The number of tokens of each text. Shape: (texts,)"""
        return self.table["tokens"].map(len).to_numpy()

    def signed(self, method: str) -> bool:
        """Whether the scores of a method distinguish evidence for the class from evidence against it."""
        return bool(self.declared.get(method, {}).get("signed"))

    @property
    def explains_gold(self) -> numpy.ndarray:
        """Whether the explained class is the gold label of each text. Shape: (texts,)"""
        target = self.metadata.get("target")
        explained = self.table["predicted"] if target is None else target
        return (self.table["label"] == explained).to_numpy(dtype=bool)

    @property
    def rationales(self) -> str:
        """The origin of the rationales: `known causes`, or `marked by people`."""
        return rationales_of(self.metadata["config"])

    @property
    def has_known_causes(self) -> bool:
        """Whether its texts mark the known causes of their labels."""
        return RATIONALE in self.table and self.rationales == KNOWN


def load_attributions(path: str | Path) -> Attributions:
    """The file at the path; raises `AnalysisError` if it is damaged or not an attribution file."""
    return Attributions(Path(path), *read_table(path, FORMAT))
