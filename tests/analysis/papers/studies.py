"""Attribution files of a small study: columns as the papers' presets name them, no model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

from tests.analysis.attribution_files import Row, config, random_rows, write_attributions

JAIN_WALLACE = ("attention", "gradient-x-input", "leave-one-out", "random")
MEISTER = (
    "attention",
    "gradient",
    "leave-one-out",
    "gradient-hidden",
    "leave-one-out-hidden",
    "input-to-hidden",
    "random",
)
DENSE = ("softmax", "uniform")


def write_run(
    path: Path,
    methods: Sequence[str] = JAIN_WALLACE,
    seed: int = 1,
    projection: str | dict[str, Any] = "softmax",
    corpus: str = "sst",
    texts: int = 60,
    noise: float = 0.5,
    entropy: float = 0.9,
    **options: Any,
) -> Path:
    """
    A file of one trained model. A sparse projection keeps the highest one to three of attention's
    weights; the input-to-hidden entropy of a text is about `entropy`.
    """
    rows = random_rows(texts, methods, seed, noise)
    name = projection if isinstance(projection, str) else projection["type"]
    for index, row in enumerate(rows):
        draw = numpy.random.default_rng([index, seed, 7])
        row["predicted"] = row["label"] if draw.random() < 0.8 else str(1 - int(row["label"]))
        if "attention" in row:
            row["attention"] = _weights(row, 0 if name in DENSE else int(draw.integers(1, 4)))
        if "input-to-hidden" in methods:
            row["input-to-hidden.mean_entropy"] = float(entropy + 0.02 * draw.standard_normal())
    described = config(
        seed=seed,
        projection=projection,
        corpus=corpus,
        validation_data_path="dev.jsonl",
        test_data_path="test.jsonl",
        **options,
    )
    return write_attributions(path, rows, methods, described, data_sha256=corpus)


def _weights(row: Row, kept: int) -> list:
    """Sum to 1; all but the highest are 0 if only some are `kept`."""
    scores = numpy.array(row["attention"])
    if kept:
        scores[scores < numpy.sort(scores)[-min(kept, len(scores))]] = 0.0
    return (scores / scores.sum()).tolist()
