"""Small faithfulness files, as `allennlp faithfulness` would write them, without a model."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pyarrow.parquet

from attention_explain.files.faithfulness import COLUMNS, CONTROLS, FORMAT, RANDOM, SEARCH, TIED
from tests.analysis.attribution_files import config

Row = dict[str, Any]
# How far each is on the way from chance to the best possible.
TRUTH = {"attention": 0.2, "gradient": 0.5, "lrp": 0.8}
MEASURES = {"comprehensiveness": True, "sufficiency": False}
BINS = (0.1, 0.5)


def judged_rows(
    texts: int = 40,
    truth: dict[str, float] = TRUTH,
    erasures: Sequence[str] = ("delete", "unk"),
    seed: int = 0,
    noise: float = 0.1,
) -> list[Row]:
    """The same texts whatever the seed, which stands for that of a trained model."""
    rows: list[Row] = []
    for index in range(texts):
        text = numpy.random.default_rng(index)
        model = numpy.random.default_rng([index, seed])
        chance, length = text.random() * 0.1, 0.1 + 0.6 * text.random()
        about = {"id": f"text-{index}", "label": str(index % 2), "predicted": str(index % 2)}

        add = partial(_add, rows, about)

        for method in truth:
            add(method, TIED, None, None, 0.25)
        for erasure in erasures:
            for measure, higher in MEASURES.items():
                for k in (*BINS, None):
                    toward = 1 if higher else -1
                    scores = {name: score + noise * model.normal() for name, score in truth.items()}
                    for method, score in {**scores, RANDOM: 0.0, SEARCH: 1.0}.items():
                        add(method, measure, erasure, k, chance + toward * length * score)
            for method, score in {**truth, RANDOM: 0.0, SEARCH: 1.0}.items():
                shares = numpy.linspace(0, 1, 3 + index % 5)
                curve = (0.9 * (1 - shares) ** (1 + score)).tolist()
                area = float(numpy.mean(curve))
                add(method, "deletion_curve", erasure, None, area, curve=curve)
        for method in truth:
            add(method, "parameter_randomization", None, None, 0.3 + 0.1 * model.normal())
    return rows


def _add(
    rows: list[Row],
    about: Row,
    method: str,
    measure: str,
    erasure: Any,
    k: Any,
    value: Any,
    curve: Any = None,
) -> None:
    row = {"method": method, "measure": measure, "erasure": erasure, "k": k, "value": value}
    rows.append({**about, **row, "curve": curve, "undefined": None})


def write_faithfulness(
    path: Path, rows: Sequence[Row], seed: int = 1, given: Row | None = None, **metadata: Any
) -> Path:
    """
    With metadata that say what the rows are of, and the config that is given, or that of a small
    model; `metadata` replaces what the file says of itself.
    """
    methods = list(dict.fromkeys(row["method"] for row in rows))
    measures = {
        name: {
            "parameters": {},
            "higher_is_better": name not in ("sufficiency", "deletion_curve"),
        }
        for name in dict.fromkeys(row["measure"] for row in rows)
        if name != TIED
    }
    metadata = {
        "format": 1,
        "archive": f"runs/{seed}",
        "weights_sha256": f"{seed}" * 8,
        "data_sha256": "a" * 8,
        "config": config(seed) if given is None else given,
        "methods": {name: {} for name in methods if name not in CONTROLS},
        "measures": measures,
        **metadata,
    }
    table = pyarrow.Table.from_pylist(list(rows), schema=COLUMNS)
    table = table.replace_schema_metadata({FORMAT.key: json.dumps(metadata).encode()})
    pyarrow.parquet.write_table(table, path)
    return path
