"""Small perturbation files, as `allennlp perturb` would write them, without a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

from attention_explain.files.perturbations import FORMAT
from tests.analysis.attribution_files import Row, config, write_text_file

ORDERS = ("attention", "gradient", "gradient_x_attention", "random")


def perturbed_rows(texts: int = 40, seed: int = 0) -> list[Row]:
    """All fields of all perturbations; every fifth text has no adversary, every seventh no flip."""
    rows = []
    for index in range(texts):
        draw = numpy.random.default_rng([index, seed])
        length = int(draw.integers(2, 12))
        attention = draw.dirichlet(numpy.full(length, 0.5))
        found = index % 5 > 0
        tvd = draw.random(10)
        rows.append(
            {
                "id": f"text-{index}",
                "tokens": [f"w{position}" for position in range(length)],
                "label": str(draw.integers(2)),
                "predicted": str(draw.integers(2)),
                "probs": [0.25, 0.75],
                "attention": attention.tolist(),
                "permutation.tvd": tvd.tolist(),
                "permutation.median_tvd": float(numpy.median(tvd)),
                "permutation.max_attention": float(attention.max()),
                "instance-adversary.max_jsd": float(0.6 * draw.random()) if found else 0.0,
                "instance-adversary.tvd": float(0.05 * draw.random()) if found else 0.0,
                "instance-adversary.success": found,
                "instance-adversary.flip": index % 6 == 1,
                "instance-adversary.attention": draw.dirichlet(numpy.ones(length)).tolist(),
                "uniform.tvd": float(draw.random()),
                **{
                    f"drop-top.{which}_{effect}": value
                    for which, size in (("top", 1.0), ("random", 0.5))
                    for effect, value in (
                        ("tvd", size * float(draw.random())),
                        ("jsd", size * float(draw.random())),
                        ("flip", bool(draw.random() < size / 2)),
                    )
                },
                **{
                    f"removal-order.{order}_{field}": value
                    for order in ORDERS
                    for field, value in (
                        ("fraction", float(draw.random()) if index % 7 else 1.0),
                        ("flipped", bool(index % 7)),
                    )
                },
            }
        )
    return rows


def write_perturbations(
    path: Path,
    rows: Sequence[Row],
    config: Row = config(),
    parameters: dict[str, dict[str, Any]] | None = None,
    **metadata: Any,
) -> Path:
    """`parameters` are those of some of the perturbations that the rows have fields of."""
    names = dict.fromkeys(column.split(".")[0] for column in rows[0] if "." in column)
    declared = {name: {"parameters": (parameters or {}).get(name, {})} for name in names}
    return write_text_file(path, FORMAT, rows, config, {"perturbations": declared, **metadata})
