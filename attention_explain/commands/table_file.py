"""
What all files that the commands write have in common: rows about texts, and metadata that say where
they come from: what was run, on what, with which versions.
"""

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

import pyarrow
from allennlp.data import Instance
from allennlp.models.archival import Archive

from attention_explain.archives import archive_sha256, weights_sha256
from attention_explain.commands.parts import ROW
from attention_explain.data.example import whole_characters
from attention_explain.data.sources import local_path
from attention_explain.files.records import read_json
from attention_explain.files.sealed import sealed_metadata, write_sealed
from attention_explain.output import writing

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


# In a run folder whose training was interrupted and not recovered exactly.
RECOVERED = "recovered"
PACKAGES = ("allennlp", "captum", "entmax", "numpy", "pyarrow", "torch")


def description(
    archive_file: str,
    archive: Archive,
    instances: Iterable[Instance],
    batch_tokens: int,
    cuda_device: int,
    **what: Any,
) -> Dict[str, Any]:
    """
    All that decides the results: two runs with the same description give the same ones. `what` is
    done to the texts, with all options.
    """
    return {
        "archive": archive_sha256(archive_file),
        "weights": weights_sha256(archive.model),
        "config": archive.config.as_dict(quiet=True),
        "data": instances_sha256(instances),
        **what,
        "batch-tokens": batch_tokens,
        "cuda-device": cuda_device,
        "versions": versions(),
    }


def provenance(
    archive_file: str,
    data: str,
    labels: Sequence[str],
    described: Dict[str, Any],
    options: Dict[str, Dict[str, Any]],
    **what: Any,
) -> Dict[str, Any]:
    """
    The same, as the file tells it.

    # Parameters

    options : `Dict[str, Dict[str, Any]]`
        Of each thing that is done to the texts; those that draw random numbers have a `seed`.
    what : `Any`
        More about it, under its own names.
    """
    return {
        "archive": str(archive_file),
        "archive_sha256": described["archive"],
        "weights_sha256": described["weights"],
        "config": described["config"],
        "data": data,
        "data_sha256": described["data"],
        "labels": list(labels),
        **what,
        **({"recovered": True} if (local_path(archive_file) / RECOVERED).is_file() else {}),
        "seeds": {name: given["seed"] for name, given in options.items() if "seed" in given},
        "batch_tokens": described["batch-tokens"],
        "versions": described["versions"],
    }


def versions() -> Dict[str, str]:
    import attention_explain

    by_package = {
        "python": platform.python_version(),
        "attention_explain": attention_explain.__version__,
    }
    for package in PACKAGES:
        try:
            by_package[package] = version(package)
        except PackageNotFoundError:
            continue
    return by_package


# What some texts have beside: of a pair the other one, the side that gets scores, and its labels.
BESIDE = ("query", "other", "side", "candidates", "contrary")


def instances_sha256(instances: Iterable[Instance]) -> str:
    """Of what the model and the output get to see of each instance."""
    digest = hashlib.sha256()
    for instance in instances:
        metadata: Dict[str, Any] = instance["metadata"].metadata
        label = instance["label"].label if "label" in instance.fields else None
        seen = [metadata["id"], metadata["tokens"], label, metadata.get("rationale")]
        seen += [[name, metadata[name]] for name in BESIDE if name in metadata]
        digest.update(json.dumps(seen).encode() + b"\n")
    return digest.hexdigest()
