"""
Parquet files of the plugin's commands: one row a text, and metadata on where all of it comes from.
What the columns are, the kinds of file say.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import pandas
import pyarrow
from pyarrow import types

from analysis.errors import AnalysisError
from analysis.model_config import ModelConfig
from attention_explain.files.records import read_json
from attention_explain.files.sealed import Damaged, read_sealed, sealed_metadata


def _are_texts(kind: pyarrow.DataType) -> bool:
    return types.is_string(kind) or types.is_large_string(kind)


def _are_numbers(kind: pyarrow.DataType) -> bool:
    return types.is_floating(kind) or types.is_integer(kind)


def _lists(kind: pyarrow.DataType, of: Callable[[pyarrow.DataType], bool]) -> bool:
    """Or of nothing: lists that are all empty say of no kind."""
    are_lists = types.is_list(kind) or types.is_large_list(kind)
    return are_lists and (of(kind.value_type) or types.is_null(kind.value_type))


def _are_scores(kind: pyarrow.DataType) -> bool:
    """Or null for a method that failed everywhere."""
    return types.is_null(kind) or _lists(kind, _are_numbers)


# What a column holds, in words, and whether it does.
Kind = Tuple[str, Callable[[pyarrow.DataType], bool]]
SCORES: Kind = ("lists of numbers", _are_scores)
# Columns that every such file has; those of which a kind is known, with no text left out.
OF_A_TEXT: Dict[str, Optional[Kind]] = {
    "id": None,
    "tokens": ("lists of words", lambda kind: _lists(kind, _are_texts)),
    "label": None,
    "predicted": None,
    "probs": ("lists of numbers", lambda kind: _lists(kind, _are_numbers)),
}


@dataclass(frozen=True)
class TextFile:
    """
    table : one row a text, with `id`, `tokens`, `label`, `predicted`, `probs` at least, unless the
        kind of file says otherwise.
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
    def texts(self) -> pandas.DataFrame:
        """One row a text, with `id`, `label` and `predicted` at least."""
        return self.table

    @property
    def model(self) -> ModelConfig:
        """What the training config in the metadata says of the model."""
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
        """Whether its model's training was interrupted and not recovered exactly."""
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
    path: Path,
    key: bytes,
    kind: str,
    command: str,
    formats: Sequence[int],
    declared: str,
    scores: Optional[Sequence[str]] = None,
    others: Mapping[str, Optional[Kind]] = OF_A_TEXT,
) -> Tuple[pandas.DataFrame, Dict[str, Any]]:
    """
    The table, and the metadata that the file has under a key.

    # Parameters

    kind : `str`
        Of file, for messages; `command` writes it.
    declared : `str`
        Under which the metadata say, by name, what was done to the texts.
    scores : `Sequence[str]`, optional (default = `None`)
        The columns with a score for each token; by default those that are declared.
    others : `Mapping[str, Optional[Kind]]`, optional (default = `OF_A_TEXT`)
        The other columns that there have to be, each with what it holds, where that is checked.
    """
    if not path.is_file():
        raise AnalysisError(f"{path}: no such file")
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
    done = metadata.get(declared)
    if not isinstance(done, dict) or not all(isinstance(each, dict) for each in done.values()):
        raise AnalysisError(f"{path}: its metadata have no object '{declared}'")
    if table.num_rows == 0:
        raise AnalysisError(f"{path}: holds no text")
    columns = {**dict.fromkeys(done if scores is None else scores, SCORES), **others}
    for name, held in columns.items():
        if name not in table.column_names:
            meant = ", but its metadata say so" if name in done else ""
            raise AnalysisError(f"{path}: has no column '{name}'{meant}")
        if held is not None:
            _check_column(path, name, table[name], held)
    return table.to_pandas(), metadata


def _check_column(path: Path, name: str, column: pyarrow.ChunkedArray, held: Kind) -> None:
    words, fits = held
    if not fits(column.type):
        raise AnalysisError(f"{path}: its column '{name}' holds {column.type}, not {words}")
    if held is not SCORES and column.null_count:
        raise AnalysisError(
            f"{path}: its column '{name}' is null for {column.null_count} of its texts"
        )


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
    """Whether it is a parquet file with metadata under the key."""
    return metadata_of(path, key) is not None


def place_of(archive: Union[str, Path]) -> Path:
    """The folder of a training run, whether it was named itself or by its archive."""
    path = Path(archive).expanduser()
    return (path.parent if path.name == "model.tar.gz" else path).resolve()
