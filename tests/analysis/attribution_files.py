"""Small attribution files, as `allennlp attribute` would write them, without a model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pyarrow.parquet

from attention_explain.files.attributions import FORMAT
from attention_explain.files.tables import TableFormat

Row = dict[str, Any]
METHODS = ("attention", "gradient", "leave-one-out")
# The share of texts that the models predict wrongly.
WRONG = 0.1


def config(
    seed: int = 1,
    encoder: str = "lstm",
    scorer: str = "additive",
    projection: str | Row = "softmax",
    corpus: str = "small",
    **more: Any,
) -> Row:
    """What matters here of a config of `allennlp train`; an lstm goes both ways."""
    return {
        "random_seed": seed,
        "numpy_seed": seed,
        "pytorch_seed": seed,
        "dataset_reader": {"type": "attention_text", "corpus": corpus},
        "model": {
            "type": "attention_classifier",
            "encoder": {"type": encoder, **({"bidirectional": True} if encoder == "lstm" else {})},
            "attention": {"scorer": scorer, "projection": projection},
        },
        **more,
    }


def random_rows(
    texts: int = 30,
    methods: Sequence[str] = METHODS,
    seed: int = 0,
    noise: float = 0.5,
    longest: int = 20,
    rationale: bool = False,
) -> list[Row]:
    """
    Texts of two classes whose methods all see one true importance through noise of their own; with
    a `noise` of infinity they see nothing of it. The same texts whatever the seed, which stands for
    that of a trained model.
    """
    rows = []
    for index in range(texts):
        text = numpy.random.default_rng(index)
        model = numpy.random.default_rng([index, seed])
        length = int(text.integers(2, longest + 1))
        true = text.random(length)
        label = int(text.integers(2))
        seen = 0.0 if numpy.isinf(noise) else 1.0
        error = 1.0 if numpy.isinf(noise) else noise
        row: Row = {
            "id": f"text-{index}",
            "tokens": [f"w{position}" for position in range(length)],
            "label": str(label),
            "predicted": str(label ^ int(model.random() < WRONG)),
            "probs": [0.25, 0.75],
        }
        if rationale:
            row["rationale"] = [int(value == true.max()) for value in true]
        for method in methods:
            row[method] = (seen * true + error * model.random(length)).tolist()
        rows.append(row)
    return rows


def write_attributions(
    path: Path,
    rows: Sequence[Row],
    methods: Sequence[str] | None = None,
    config: Row = config(),
    **metadata: Any,
) -> Path:
    """
    The rows as they are (an `id` is given to those without), all columns of scores in `methods`;
    `metadata` replaces what the file says of itself. Scores may be None.
    """
    if methods is None:
        methods = [name for name in METHODS if name in rows[0]]
    described = {
        "interpreters": {name: {"parameters": {}, "signed": False} for name in methods},
        "skipped": {},
        "target": "predicted",
        **metadata,
    }
    return write_text_file(path, FORMAT, rows, config, described)


def write_text_file(
    path: Path, format: TableFormat, rows: Sequence[Row], config: Row, metadata: dict[str, Any]
) -> Path:
    """Of either kind; `metadata` has what is its own, or replaces what both kinds have."""
    # A test need not say what its measure does not look at.
    rows = [{"id": str(n), "tokens": [], "probs": [], **row} for n, row in enumerate(rows)]
    table = pyarrow.Table.from_pylist(rows)
    described = {
        "format": 1,
        "archive": f"runs/{path.stem}",
        "archive_sha256": f"archive of seed {config.get('pytorch_seed')}: {path.stem}",
        "config": config,
        "data": "test",
        "data_sha256": "of the small corpus",
        "labels": ["0", "1"],
        "seeds": {},
        **metadata,
    }
    table = table.replace_schema_metadata({format.key: json.dumps(described).encode()})
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(table, path)
    return path
