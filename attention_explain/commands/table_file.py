"""What all files that the commands write have in common: rows about texts, and where they come from."""

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

import pyarrow

from attention_explain.commands.parts import ROW
from attention_explain.data.example import whole_characters
from attention_explain.files import writing
from durable.plain_json import read_json
from durable.sealed import sealed_metadata, write_sealed

NUMBERS = pyarrow.list_(pyarrow.float32())


def text_fields() -> List[pyarrow.Field]:
    """The columns of a text and its prediction, which come first."""
    return [
        pyarrow.field("id", pyarrow.string(), nullable=False),
        pyarrow.field("tokens", pyarrow.list_(pyarrow.string()), nullable=False),
        pyarrow.field("label", pyarrow.string()),
        pyarrow.field("predicted", pyarrow.string(), nullable=False),
        pyarrow.field("probs", NUMBERS, nullable=False),
    ]


def text_values(
    id_: str, tokens: Sequence[str], label: Optional[str], predicted: str, probs: Sequence[float]
) -> Dict[str, Any]:
    """The values of these columns."""
    return {
        "id": whole_characters(id_),
        "tokens": [whole_characters(token) for token in tokens],
        "label": label,
        "predicted": predicted,
        "probs": probs,
    }


def to_part(
    records: Sequence[Dict[str, Any]], rows: Sequence[int], columns: pyarrow.Schema
) -> pyarrow.Table:
    """The records, and the place of the text that each is about: several may be about one."""
    columns = columns.append(pyarrow.field(ROW, pyarrow.int64(), nullable=False))
    placed = [{**record, ROW: row} for record, row in zip(records, rows, strict=True)]
    return pyarrow.Table.from_pylist(placed, schema=columns)


def write(
    table: pyarrow.Table, metadata: Dict[str, Any], path: Union[str, Path], key: bytes
) -> None:
    """Complete or not at all, with the metadata as JSON under a key of the schema."""
    table = table.replace_schema_metadata({key: json.dumps(metadata).encode()})
    with writing(path) as unfinished:
        # Groups of rows small enough that a reader of a few texts need not take all.
        write_sealed(table, unfinished, row_group_size=4096)


def read_metadata(path: Union[str, Path], key: bytes) -> Dict[str, Any]:
    return read_json(sealed_metadata(path)[key])
