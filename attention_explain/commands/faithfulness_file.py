"""
The faithfulness file: a row for each text, method, measure, erasure and bin.

It follows the rules of the attribution file, with metadata under a key of their own.
"""

from collections import Counter
from typing import Any, Dict, List, Sequence

import pyarrow
import pyarrow.compute

from attention_explain.commands import table_file
from attention_explain.data.example import whole_characters
from attention_explain.faithfulness.faithfulness import RANDOM, SEARCH, Measurement

METADATA = b"faithfulness"
# Of the layout below; a reader may refuse what it does not know.
FORMAT = 1

SCHEMA = pyarrow.schema(
    [
        pyarrow.field("id", pyarrow.string(), nullable=False),
        pyarrow.field("method", pyarrow.string(), nullable=False),
        pyarrow.field("measure", pyarrow.string(), nullable=False),
        pyarrow.field("erasure", pyarrow.string()),
        pyarrow.field("k", pyarrow.float32()),
        pyarrow.field("value", pyarrow.float64()),
        pyarrow.field("normalised", pyarrow.float64()),
        pyarrow.field("curve", table_file.NUMBERS),
        pyarrow.field("undefined", pyarrow.string()),
    ]
)


def to_table(
    ids: Sequence[str], measured: Sequence[Sequence[Measurement]], rows: Sequence[int]
) -> pyarrow.Table:
    """The measurements of each text, and its place in the whole."""
    records: List[Dict[str, Any]] = []
    places: List[int] = []
    for instance_id, measurements, row in zip(ids, measured, rows, strict=True):
        records += [{"id": whole_characters(instance_id), **vars(each)} for each in measurements]
        places += [row] * len(measurements)
    return table_file.to_part(records, places, SCHEMA)


def undefined(table: pyarrow.Table) -> Dict[str, Dict[str, int]]:
    """Of each measure how many values are undefined, by reason."""
    none = table.filter(pyarrow.compute.is_valid(table["undefined"]))
    pairs = Counter(zip(none["measure"].to_pylist(), none["undefined"].to_pylist()))
    counted: Dict[str, Dict[str, int]] = {}
    for (measure, reason), times in pairs.items():
        counted.setdefault(measure, {})[reason] = times
    return counted


def in_words(table: pyarrow.Table, metadata: Dict[str, Any]) -> List[str]:
    """Lines for the user: where methods are between chance and the best, and what has no value."""
    lines = []
    for method, reasons in metadata["skipped"].items():
        for reason, times in reasons.items():
            lines.append(f"  {method} has no scores for {times} texts: {reason}")
    erasure = next(iter(metadata["erasures"]), None)
    means = _means(table, erasure)
    for measure, about in metadata["measures"].items():
        found = {method: mean for (name, method), mean in means.items() if name == measure}
        if about["in_order"] and found:
            ordered = sorted(found, key=lambda method: -found[method])
            places = ", ".join(f"{method} {found[method]:.2f}" for method in ordered)
            lines.append(f"  {measure} ({erasure}), 0 = chance, 1 = best: {places}")
    return lines


def _means(table: pyarrow.Table, erasure: str) -> Dict[Any, float]:
    """Of the normalised values of methods, over texts; of binned measures of their mean."""
    compute = pyarrow.compute
    wanted = compute.and_(
        compute.and_(compute.equal(table["erasure"], erasure), compute.is_null(table["k"])),
        compute.and_(
            compute.is_valid(table["normalised"]),
            compute.invert(
                compute.is_in(table["method"], value_set=pyarrow.array([RANDOM, SEARCH]))
            ),
        ),
    )
    grouped = table.filter(wanted).group_by(["measure", "method"])
    means = grouped.aggregate([("normalised", "mean")]).to_pylist()
    return {(row["measure"], row["method"]): row["normalised_mean"] for row in means}
