"""Attribution files, as `allennlp attribute` writes them: texts, predictions, scores a method."""

from pathlib import Path
from typing import Any, Dict, List, Union

from analysis.measures.scores import Scores
from analysis.text_files import TextFile, read_text_file

METADATA = b"attention_explain"
KNOWN_FORMATS = (1,)


class Attributions(TextFile):
    """The table has a column of scores for each of `methods`."""

    @property
    def declared(self) -> Dict[str, Any]:
        return self.metadata["interpreters"]

    @property
    def methods(self) -> List[str]:
        return list(self.declared)

    def scores(self, method: str) -> Scores:
        """Of one of the methods, or the `rationale`, of each text in the order of the table."""
        return Scores.of(self.table[method])


def load_attributions(path: Union[str, Path]) -> Attributions:
    path = Path(path)
    read = read_text_file(path, METADATA, "attribution", "allennlp attribute", KNOWN_FORMATS)
    return Attributions(path, *read)
