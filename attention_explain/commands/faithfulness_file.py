"""
The faithfulness file: a row for each text, method, measure, erasure and bin.

It follows the rules of the attribution file, with metadata under a key of their own.
"""

from collections import Counter
from typing import Any, Dict, List, Optional, Sequence

import pyarrow
import pyarrow.compute

from attention_explain.commands import table_file
from attention_explain.data.example import whole_characters
from attention_explain.faithfulness.faithfulness import RANDOM, SEARCH, TIED, JudgedRows

METADATA = b"faithfulness"
# Of the layout below; a reader may refuse what it does not know.
FORMAT = 1

SCHEMA = pyarrow.schema(
    [
        pyarrow.field("id", pyarrow.string(), nullable=False),
        pyarrow.field("label", pyarrow.string()),
        pyarrow.field("predicted", pyarrow.string(), nullable=False),
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


def to_table(texts: Sequence[JudgedRows], rows: Sequence[int]) -> pyarrow.Table:
    """The measurements of each text, and its place in the whole."""
    records: List[Dict[str, Any]] = []
    places: List[int] = []
    for text, row in zip(texts, rows, strict=True):
        about = {
            "id": whole_characters(text.id),
            "label": text.label,
            "predicted": text.predicted,
        }
        records += [{**about, **vars(each)} for each in text.rows]
        places += [row] * len(text.rows)
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
    for method, share in _ties(table).items():
        if share > 0:
            lines.append(
                f"  {method}: {100 * share:.0f} % of the tokens share their score with another, and "
                "are ranked by chance"
            )
    erasure = next(iter(metadata["erasures"]), None)
    lines += _unscaled(table, metadata, erasure)
    places = _places(table, erasure)
    # Of a measure's forms, the one that it is named after.
    measures = [
        name
        for name, about in metadata["measures"].items()
        if about["in_order"] and about["of"] == name and any(of == name for of, _ in places)
    ]
    if measures:
        methods = [method for method in metadata["methods"] if (measures[0], method) in places]
        methods.sort(key=lambda method: -places[measures[0], method])
        wide = max(map(len, methods))
        heads = [name.replace("_", " ") for name in measures]
        lines.append(f"  from chance (0) to the best known order (1), words erased by {erasure}:")
        lines.append(f"  {'':{wide}}  {'  '.join(heads)}")
        for method in methods:
            cells = (
                f"{places[name, method]:{len(head)}.2f}"
                if (name, method) in places
                else " " * len(head)
                for name, head in zip(measures, heads, strict=True)
            )
            lines.append(f"  {method:{wide}}  {'  '.join(cells)}".rstrip())
    return lines


def _unscaled(table: pyarrow.Table, metadata: Dict[str, Any], erasure: Optional[str]) -> List[str]:
    """Means of what has no scale; and which methods have no value of a measure at all."""
    lines = []
    for measure, about in metadata["measures"].items():
        if about["of"] != measure or about["in_order"]:
            continue
        means = {}
        for method in metadata["methods"]:
            rows = _rows_of(table, measure, method, erasure)
            values = rows["value"].drop_null().to_numpy()
            if len(values):
                means[method] = float(values.mean())
            elif len(rows):
                (reason, _), *_ = Counter(rows["undefined"].to_pylist()).most_common()
                lines.append(f"  {measure}: nothing for {method}: {reason}")
        if means:
            told = ", ".join(f"{method} {mean:.3g}" for method, mean in means.items())
            best = "higher" if about["higher_is_better"] else "lower"
            lines.append(f"  {measure.replace('_', ' ')} ({best} is better): {told}")
    return lines


def _rows_of(
    table: pyarrow.Table, measure: str, method: str, erasure: Optional[str]
) -> pyarrow.Table:
    """With words erased in that way, where any are."""
    compute = pyarrow.compute
    rows = table.filter(compute.equal(table["measure"], measure))
    rows = rows.filter(compute.equal(rows["method"], method))
    return rows.filter(
        compute.equal(compute.fill_null(rows["erasure"], erasure or ""), erasure or "")
    )


def _ties(table: pyarrow.Table) -> Dict[str, float]:
    """Of each method, the mean share of tokens that share their score."""
    tied = table.filter(pyarrow.compute.equal(table["measure"], TIED))
    means = tied.group_by("method").aggregate([("value", "mean")]).to_pylist()
    return {row["method"]: row["value_mean"] or 0.0 for row in means}


def _places(table: pyarrow.Table, erasure: str) -> Dict[Any, float]:
    """
    Of methods, by measure; of binned measures, of their mean. As the tables of `analysis` have them:
    the mean of what a method gains over random orders by the mean of what could be gained.
    """
    compute = pyarrow.compute
    wanted = compute.and_(
        compute.and_(compute.equal(table["erasure"], erasure), compute.is_null(table["k"])),
        compute.is_valid(table["value"]),
    )
    values: Dict[Any, Dict[str, float]] = {}
    columns = table.filter(wanted).select(["measure", "method", "id", "value"])
    for row in columns.to_pylist():
        values.setdefault((row["measure"], row["method"]), {})[row["id"]] = row["value"]
    places = {}
    for (measure, method), of_texts in values.items():
        ends = [values.get((measure, end), {}) for end in (RANDOM, SEARCH)]
        ids = [text for text in of_texts if all(text in end for end in ends)]
        could_gain = sum(ends[1][text] - ends[0][text] for text in ids)
        if method not in (RANDOM, SEARCH) and could_gain != 0:
            gained = sum(of_texts[text] - ends[0][text] for text in ids)
            places[measure, method] = gained / could_gain
    return places
