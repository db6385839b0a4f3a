"""
Parquet files with a seal: a hash of each column and of the metadata, which is checked whenever the file is read.
Files without a seal are accepted.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy
import pyarrow
import pyarrow.compute
import pyarrow.parquet

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
