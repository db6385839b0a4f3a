"""
Parquet files of the plugin's commands: one row a text, and metadata on where all of it comes from.
What the columns are, the kinds of file say.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional, Sequence, Tuple, TypeVar, Union

import pandas

from analysis.errors import AnalysisError
from analysis.model_config import ModelConfig
from durable.plain_json import read_json
from durable.sealed import Damaged, read_sealed, sealed_metadata

Read = TypeVar("Read", bound="TextFile")
# Columns that every such file has.
OF_A_TEXT = ("id", "tokens", "label", "predicted", "probs")


@dataclass(frozen=True)
class TextFile:
    """
    table : one row a text, with `id`, `tokens`, `label`, `predicted`, `probs` at least.
    metadata : of the whole file.
    """

    path: Path
    table: pandas.DataFrame
    metadata: Dict[str, Any]

    @property
    def declared(self) -> Dict[str, Any]:
        """What was done to the texts, by name, each with its `parameters`."""
        raise NotImplementedError

    @property
    def model(self) -> ModelConfig:
        return ModelConfig(self.metadata["config"])

    @property
    def learned(self) -> Optional[str]:
        """
        A hash of the model's weights, which does not depend on where the model lies; of the archive,
        which does, in files that know no better.
        """
        return self.metadata.get("weights_sha256", self.metadata.get("archive_sha256"))

    @property
    def recovered(self) -> bool:
        """Whether its model's training was interrupted and went on."""
        return bool(self.metadata.get("recovered"))

    @property
    def dropped_or_cut(self) -> str:
        """What the reader dropped or cut of the data, in words; nothing for nothing."""
        texts = self.metadata.get("texts", {})
        kept, dropped, cut = (texts.get(name) for name in ("kept", "dropped", "cut"))
        said = []
        if dropped:
            whole = kept + sum(dropped.values())
            said.append(f"{sum(dropped.values())} of {whole} texts dropped ({_counted(dropped)})")
        if cut:
            said.append(f"{sum(cut.values())} of {kept} texts cut ({_counted(cut)})")
        return ", ".join(said)


def _counted(reasons: Dict[str, int]) -> str:
    return ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))


def read_text_file(
    path: Path, key: bytes, kind: str, command: str, formats: Sequence[int]
) -> Tuple[pandas.DataFrame, Dict[str, Any]]:
    """The table, and the metadata that the file has under a key; `kind` is for messages."""
    if not path.is_file():
        raise AnalysisError(f"{path}: no such {kind} file")
    try:
        table = read_sealed(path)
    except Damaged as error:
        raise AnalysisError(str(error)) from error
    text = (table.schema.metadata or {}).get(key)
    if text is None:
        article = "an" if kind[0] in "aeiou" else "a"
        raise AnalysisError(f"{path}: not {article} {kind} file of `{command}`")
    metadata = _metadata(path, text)
    if metadata.get("format") not in formats:
        raise AnalysisError(f"{path}: has format {metadata.get('format')}, which is not known here")
    if not isinstance(metadata.get("config"), dict):
        raise AnalysisError(f"{path}: its metadata have no config of a model")
    if table.num_rows == 0:
        raise AnalysisError(f"{path}: holds no text")
    for name in OF_A_TEXT:
        if name not in table.column_names:
            raise AnalysisError(f"{path}: has no column '{name}'")
    return table.to_pandas(), metadata


def checked(file: Read, key: str) -> Read:
    """A file whose metadata say under the key what was done to the texts."""
    declared = file.metadata.get(key)
    if not isinstance(declared, dict) or not all(isinstance(d, dict) for d in declared.values()):
        raise AnalysisError(f"{file.path}: its metadata have no object '{key}'")
    return file


def _metadata(path: Path, text: bytes) -> Dict[str, Any]:
    try:
        metadata = read_json(text)
    except ValueError as error:
        raise AnalysisError(f"{path}: its metadata are not JSON ({error})") from error
    if not isinstance(metadata, dict):
        raise AnalysisError(f"{path}: its metadata are not a JSON object")
    return metadata


def metadata_of(path: Path, key: bytes) -> Optional[Dict[str, Any]]:
    """Without the table; None of what is no parquet file with metadata under the key."""
    try:
        text = sealed_metadata(path).get(key)
    except (Damaged, FileNotFoundError):
        return None
    return None if text is None else _metadata(path, text)


def has_key(path: Path, key: bytes) -> bool:
    return metadata_of(path, key) is not None


def place_of(archive: Union[str, Path]) -> Path:
    """The folder of a training run, whether it was named itself or by its archive."""
    path = Path(archive).expanduser()
    return (path.parent if path.name == "model.tar.gz" else path).resolve()
