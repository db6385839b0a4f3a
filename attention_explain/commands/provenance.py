"""Where a file comes from: what was run, on what, with which versions."""

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Dict, Iterable, Sequence

from allennlp.data import Instance
from allennlp.models.archival import Archive

from attention_explain.archives import archive_sha256, local_path, weights_sha256

# In a run folder whose training was interrupted and went on: a study leaves it there.
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

    found = {
        "python": platform.python_version(),
        "attention_explain": attention_explain.__version__,
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def instances_sha256(instances: Iterable[Instance]) -> str:
    """Of what the model and the output get to see of each instance."""
    digest = hashlib.sha256()
    for instance in instances:
        metadata: Dict[str, Any] = instance["metadata"].metadata
        label = instance["label"].label if "label" in instance.fields else None
        seen = [metadata["id"], metadata["tokens"], label, metadata.get("rationale")]
        digest.update(json.dumps(seen).encode() + b"\n")
    return digest.hexdigest()
