"""
What the parquet files of `attribute`, `perturb` and `faithfulness` have in common: the columns of a text,
the metadata that say where the rows come from, and how such a file is written, read and checked. The
modules `attributions`, `perturbations` and `faithfulness` define the three formats.

Every parquet file has a seal: a hash of each column and of the metadata, which is checked whenever the file
is read. Files without a seal are accepted.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.parquet
from pyarrow import types

from attention_explain.errors import InputError
from attention_explain.files.atomic import writing
from attention_explain.files.records import DamagedFileError, read_json

SEAL = b"sealed"


def write_sealed(table: pyarrow.Table, path: str | Path | BinaryIO, **options: Any) -> None:
    """Write a table with its seal to a path or an open file; `options` are those of pyarrow."""
    metadata = _others(table.schema.metadata)
    seal = {
        "metadata": _metadata_hash(metadata),
        "columns": {name: column_hash(table[name]) for name in table.column_names},
    }
    sealed = table.replace_schema_metadata({**metadata, SEAL: json.dumps(seal).encode()})
    pyarrow.parquet.write_table(sealed, path, **options)


def read_sealed(path: str | Path, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """
    The table without its seal, or only the given columns. Raises `DamagedFileError` for a file that cannot be read or
    differs from its seal.
    """
    try:
        table = pyarrow.parquet.read_table(path, columns=columns)
        metadata = _checked_metadata(table.schema.metadata, path)
        for name, written in _seal(table.schema.metadata).get("columns", {}).items():
            if name in table.column_names and column_hash(table[name]) != written:
                raise DamagedFileError(
                    f"{path}: is damaged: its column '{name}' is not what was written"
                )
            if columns is None and name not in table.column_names:
                raise DamagedFileError(f"{path}: is damaged: its column '{name}' is missing")
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise _unreadable(path, error) from error
    return table.replace_schema_metadata(metadata)


def sealed_metadata(path: str | Path) -> dict[bytes, bytes]:
    """The metadata of a file without its seal; raises `DamagedFileError` as `read_sealed` does."""
    try:
        return _checked_metadata(pyarrow.parquet.read_schema(path).metadata, path)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise _unreadable(path, error) from error


def _unreadable(path: str | Path, error: Exception) -> DamagedFileError:
    # The message may have several lines.
    reason = " ".join(str(error).split())
    return DamagedFileError(f"{path}: not a readable parquet file ({reason})")


def column_hash(column: pyarrow.Array | pyarrow.ChunkedArray) -> str:
    """A hash of the values and their type, independent of the memory layout."""
    digest = hashlib.sha256()
    _add(digest, column)
    return digest.hexdigest()


def _add(digest: "hashlib._Hash", column: pyarrow.Array | pyarrow.ChunkedArray) -> None:
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pyarrow.ChunkedArray):
        # `combine_chunks` keeps several chunks if the values are too large for one array.
        column = pyarrow.concat_arrays(column.chunks)
    kind = column.type
    is_list = pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind)
    # The name of a list's elements changes when it is written and read.
    digest.update(f"{'list' if is_list else kind} {len(column)} ".encode())
    digest.update(numpy.packbits(column.is_null().to_numpy(zero_copy_only=False)).tobytes())
    if is_list:
        lengths = pyarrow.compute.list_value_length(column).fill_null(-1)
        digest.update(lengths.to_numpy(zero_copy_only=False).astype("<i8").tobytes())
        _add(digest, column.flatten())
    elif pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind):
        values = column.cast(pyarrow.large_binary()).fill_null(b"")
        lengths = pyarrow.compute.binary_length(values).to_numpy(zero_copy_only=False)
        digest.update(lengths.astype("<i8").tobytes())
        if len(values):
            _, offsets, joined = values.buffers()
            starts = numpy.frombuffer(offsets, dtype=numpy.int64)[values.offset :]
            digest.update(joined[starts[0] : starts[len(values)]] if joined else b"")
    elif pyarrow.types.is_primitive(kind) or pyarrow.types.is_boolean(kind):
        filled = column.fill_null(False if pyarrow.types.is_boolean(kind) else 0)
        digest.update(numpy.ascontiguousarray(filled.to_numpy(zero_copy_only=False)).tobytes())
    else:
        digest.update(json.dumps(column.to_pylist(), default=str).encode())


def _seal(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    seal = read_json((metadata or {}).get(SEAL, b"{}"))
    if not isinstance(seal, dict) or not isinstance(seal.get("columns", {}), dict):
        raise ValueError("its seal is not valid")
    return seal


def _others(metadata: Mapping[bytes, bytes] | None) -> dict[bytes, bytes]:
    return {key: value for key, value in (metadata or {}).items() if key != SEAL}


def _checked_metadata(
    metadata: Mapping[bytes, bytes] | None, path: str | Path
) -> dict[bytes, bytes]:
    others = _others(metadata)
    written = _seal(metadata).get("metadata")
    if written is not None and _metadata_hash(others) != written:
        raise DamagedFileError(f"{path}: is damaged: its metadata are not what was written")
    return others


def _metadata_hash(metadata: Mapping[bytes, bytes]) -> str:
    digest = hashlib.sha256()
    for key in sorted(metadata):
        digest.update(b"%d %d " % (len(key), len(metadata[key])) + key + metadata[key])
    return digest.hexdigest()


NUMBERS = pyarrow.list_(pyarrow.float32())
WORDS = pyarrow.list_(pyarrow.string())
# 0 or 1 per token.
MARKS = pyarrow.list_(pyarrow.int8())

# The columns of a text and its prediction, which come first; `label` is the gold label.
TEXT_COLUMNS = (
    pyarrow.field("id", pyarrow.string(), nullable=False),
    pyarrow.field("tokens", WORDS, nullable=False),
    pyarrow.field("label", pyarrow.string()),
    pyarrow.field("predicted", pyarrow.string(), nullable=False),
    pyarrow.field("probs", NUMBERS, nullable=False),
)
# In unfinished files: the index of the text that a row is about.
ROW = "row"

# Metadata of all formats, by key.
METADATA = {
    "format": "version of the format",
    "archive": "path of the model",
    "archive_sha256": "hash of the archive",
    "weights_sha256": "hash of the weights, independent of the path of the model",
    "config": "training config of the model",
    "data": "path of the data",
    "data_sha256": "hash of the texts as the model reads them",
    "labels": "labels of the model, in the order of `probs`",
    "reads": "other input files, with their hashes",
    "recovered": "true if training was interrupted and not recovered exactly",
    "seed_of": "the transformer's folder of which this one is another seed, in a verdict on several",
    "seeds": "seeds of the components that draw random numbers",
    "batch_tokens": "largest number of tokens in a batch, padding included",
    "versions": "versions of Python and of the packages",
    "texts": "texts that the reader kept, dropped and cut, with reasons",
    "instances": "number of texts in the file",
    "seconds": "run time of each step",
}

# Row groups are small enough that a few texts can be read without all others.
ROW_GROUP = 4096


@dataclass(frozen=True)
class TableFormat:
    """
    One kind of parquet file.

    name, command : the kind for error messages, and the command that writes it.
    key : the key of the metadata in the parquet schema; it tells the formats apart.
    columns : columns that every file has.
    described : metadata that describe components (such as interpreters) by name.
    component_columns : whether each component of the first of `described` has a column of scores.
    metadata : metadata keys of this format alone, each with its meaning.
    version : of this layout; readers fail on other versions.
    """

    name: str
    command: str
    key: bytes
    columns: tuple[pyarrow.Field, ...]
    described: tuple[str, ...]
    metadata: Mapping[str, str]
    component_columns: bool = False
    version: int = 1

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that every file of this format has."""
        return tuple(field.name for field in self.columns)

    def write(self, table: pyarrow.Table, metadata: Mapping[str, Any], path: Path) -> None:
        """Write the complete file or none; the metadata are JSON under the format's key."""
        undeclared = metadata.keys() - {*METADATA, *self.described, *self.metadata}
        if undeclared:
            raise KeyError(f"{self.name} file: metadata {sorted(undeclared)} are not declared")
        table = table.replace_schema_metadata({self.key: json.dumps(metadata).encode()})
        with writing(path) as unfinished:
            write_sealed(table, unfinished, row_group_size=ROW_GROUP)

    def read(self, path: Path) -> tuple[pyarrow.Table, dict[str, Any]]:
        """The table and its metadata; raises `InputError` if either does not follow the format."""
        if not path.is_file():
            raise InputError(f"{path}: no such file")
        table = read_sealed(path)
        text = (table.schema.metadata or {}).get(self.key)
        if text is None:
            article = "an" if self.name[0] in "aeiou" else "a"
            raise InputError(f"{path}: not {article} {self.name} file of `{self.command}`")
        metadata = _parse(path, text)
        self._check_metadata(path, metadata)
        if table.num_rows == 0:
            raise InputError(f"{path}: contains no texts")
        self._check_columns(path, table, metadata)
        return table, metadata

    def read_metadata(self, path: str | Path) -> dict[str, Any]:
        """The metadata alone; raises `KeyError` for a file of another kind."""
        return read_json(sealed_metadata(path)[self.key])

    def find_metadata(self, path: Path) -> dict[str, Any] | None:
        """The metadata alone; None if this is not a readable file of this format."""
        try:
            text = sealed_metadata(path).get(self.key)
        except (DamagedFileError, FileNotFoundError):
            return None
        return None if text is None else _parse(path, text)

    def is_format_of(self, path: Path) -> bool:
        """Whether the file is of this format."""
        return self.find_metadata(path) is not None

    def _check_metadata(self, path: Path, metadata: dict[str, Any]) -> None:
        if metadata.get("format") != self.version:
            raise InputError(
                f"{path}: has format {metadata.get('format')}, but only {self.version} can be read"
            )
        if not isinstance(metadata.get("config"), dict):
            raise InputError(f"{path}: its metadata have no config of a model")
        for key in self.described:
            components = metadata.get(key)
            if not isinstance(components, dict) or not all(
                isinstance(each, dict) for each in components.values()
            ):
                raise InputError(f"{path}: its metadata have no object '{key}'")

    def _check_columns(self, path: Path, table: pyarrow.Table, metadata: dict[str, Any]) -> None:
        components = metadata[self.described[0]] if self.component_columns else {}
        scores = [pyarrow.field(name, NUMBERS) for name in components]
        for field in (*scores, *self.columns):
            if field.name not in table.column_names:
                meant = ", but its metadata say so" if field.name in components else ""
                raise InputError(f"{path}: has no column '{field.name}'{meant}")
        # Other columns that may be null are whatever was computed.
        for field in (*scores, *(field for field in self.columns if not field.nullable)):
            _check_column(path, table[field.name], field)


def to_chunk(
    texts: Sequence[Sequence[Mapping[str, Any]]], rows: Sequence[int], columns: pyarrow.Schema
) -> pyarrow.Table:
    """
    A table of the records of several texts, with the index of each record's text.

    # Parameters

    texts : `Sequence[Sequence[Mapping[str, Any]]]`
        The records of each text.
    rows : `Sequence[int]`
        The index of each text.
    """
    columns = columns.append(pyarrow.field(ROW, pyarrow.int64(), nullable=False))
    records = [
        {**record, ROW: row} for of_text, row in zip(texts, rows, strict=True) for record in of_text
    ]
    return pyarrow.Table.from_pylist(records, schema=columns)


def text_record(
    id: str, tokens: Sequence[str], label: str | None, predicted: str, probs: Sequence[float]
) -> dict[str, Any]:
    """The values of `TEXT_COLUMNS`."""
    words = [replace_surrogates(token) for token in tokens]
    values = (replace_surrogates(id), words, label, predicted, probs)
    return {field.name: value for field, value in zip(TEXT_COLUMNS, values, strict=True)}


def replace_surrogates(text: str) -> str:
    """Replace halves of characters, which JSON can spell but no file can hold."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def component_columns(table: pyarrow.Table) -> list[str]:
    """The columns called `component.field`: checks of methods, and results of perturbations."""
    return [name for name in table.column_names if "." in name]


def _parse(path: Path, text: bytes) -> dict[str, Any]:
    try:
        metadata = read_json(text)
    except ValueError as error:
        raise InputError(f"{path}: its metadata are not JSON ({error})") from error
    if not isinstance(metadata, dict):
        raise InputError(f"{path}: its metadata are not a JSON object")
    return metadata


def _check_column(path: Path, column: pyarrow.ChunkedArray, field: pyarrow.Field) -> None:
    if field.type not in _ELEMENTS:
        return
    words, fits = _ELEMENTS[field.type]
    # A method that failed on every text has a column of nulls.
    empty = field.nullable and types.is_null(column.type)
    if not empty and not _is_list(column.type, fits):
        raise InputError(f"{path}: its column '{field.name}' holds {column.type}, not {words}")
    if not field.nullable and column.null_count:
        raise InputError(
            f"{path}: its column '{field.name}' is null for {column.null_count} of its texts"
        )


def _is_list(kind: pyarrow.DataType, fits: Callable[[pyarrow.DataType], bool]) -> bool:
    """Whether these are lists of such elements; empty lists may have elements of no type."""
    are_lists = types.is_list(kind) or types.is_large_list(kind)
    return are_lists and (fits(kind.value_type) or types.is_null(kind.value_type))


def _is_number(kind: pyarrow.DataType) -> bool:
    return types.is_floating(kind) or types.is_integer(kind)


def _is_text(kind: pyarrow.DataType) -> bool:
    return types.is_string(kind) or types.is_large_string(kind)


# What a column must contain, in words, and whether an element fits; files of other programs may have
# other types of numbers.
_ELEMENTS: dict[pyarrow.DataType, tuple[str, Callable[[pyarrow.DataType], bool]]] = {
    NUMBERS: ("lists of numbers", _is_number),
    WORDS: ("lists of words", _is_text),
}
