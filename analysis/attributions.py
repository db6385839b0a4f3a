"""Attribution files, as `allennlp attribute` writes them: texts, predictions, scores a method."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Union

import pandas
import pyarrow
import pyarrow.parquet

from analysis.errors import AnalysisError
from analysis.measures.scores import Scores
from analysis.model_config import ModelConfig

METADATA = b"attention_explain"
KNOWN_FORMATS = (1,)


@dataclass(frozen=True)
class Attributions:
    """
    table : one row a text, with `id`, `tokens`, `label`, `predicted`, `probs`, and a column of
        scores for each of `methods`.
    metadata : where the scores come from.
    """

    path: Path
    table: pandas.DataFrame
    metadata: Dict[str, Any]

    @property
    def methods(self) -> List[str]:
        return list(self.metadata["interpreters"])

    @property
    def model(self) -> ModelConfig:
        return ModelConfig(self.metadata["config"])

    def scores(self, method: str) -> Scores:
        """Of one of the methods, or the `rationale`, of each text in the order of the table."""
        return Scores.of(self.table[method])


def load_attributions(path: Union[str, Path]) -> Attributions:
    path = Path(path)
    if not path.is_file():
        raise AnalysisError(f"{path}: no such attribution file")
    try:
        table = pyarrow.parquet.read_table(path)
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise AnalysisError(f"{path}: not a readable parquet file ({error})") from error
    text = (table.schema.metadata or {}).get(METADATA)
    if text is None:
        raise AnalysisError(f"{path}: not an attribution file of `allennlp attribute`")
    metadata = json.loads(text)
    if metadata.get("format") not in KNOWN_FORMATS:
        raise AnalysisError(f"{path}: has format {metadata.get('format')}, which is not known here")
    if table.num_rows == 0:
        raise AnalysisError(f"{path}: holds no text")
    return Attributions(path, table.to_pandas(), metadata)
