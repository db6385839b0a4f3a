"""
The attribution file: one row an instance, one list of scores a method, and where all of it comes
from. Everything that reads attributions reads this file and nothing else of this project.
"""

from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

import numpy
import pyarrow

from attention_explain.commands import table_file
from attention_explain.heatmaps.explanation import Explanation, markings, several

METADATA = b"attention_explain"
# Of the layout below; a reader may refuse what it does not know.
FORMAT = 1

SCORES = table_file.NUMBERS
# 0 or 1 a token.
MARKS = pyarrow.list_(pyarrow.int8())
# Columns of marks that come from the data: what decides the label, and what speaks against it.
OF_THE_DATA = ("rationale", "contrary")


def schema(example: Explanation, given: Iterable[Dict[str, Any]]) -> pyarrow.Schema:
    """
    The columns for texts that are explained as the example is: the text and its prediction, then
    which tokens are marked, the scores of each method, then its checks as `method.check`. `given`
    is what the data says of each text.
    """
    fields = table_file.text_fields() + _marked(list(given))
    if example.other is not None:
        fields.append(pyarrow.field("other", pyarrow.list_(pyarrow.string())))
    if example.unknown is not None:
        fields.append(pyarrow.field("unknown", MARKS))
    # A method that failed on a text has no scores there: null, and never a list of NaN.
    fields += [pyarrow.field(method, SCORES) for method in example.scores]
    fields += [
        pyarrow.field(
            f"{method}.{check}",
            pyarrow.float32() if isinstance(value, float) else pyarrow.int32(),
        )
        for method, checks in example.checks.items()
        for check, value in checks.items()
    ]
    return pyarrow.schema(fields)


def _marked(given: Sequence[Dict[str, Any]]) -> List[pyarrow.Field]:
    """Of what the data itself marks; lists of lists where annotators are kept apart."""
    marks_of = {name: [text[name] for text in given if name in text] for name in OF_THE_DATA}
    return [
        pyarrow.field(name, pyarrow.list_(MARKS) if any(map(several, marks)) else MARKS)
        for name, marks in marks_of.items()
        if marks
    ]


def to_table(
    explanations: Sequence[Explanation], rows: Sequence[int], columns: pyarrow.Schema
) -> pyarrow.Table:
    """The explanations, and the place of each in the whole."""
    records = [_record(explanation) for explanation in explanations]
    if "rationale" in columns.names and columns.field("rationale").type != MARKS:
        for record in records:
            record["rationale"] = markings(record["rationale"]) or None
    return table_file.to_part(records, rows, columns)


def _record(explanation: Explanation) -> Dict[str, Any]:
    return {
        **table_file.text_values(
            explanation.id,
            explanation.tokens,
            explanation.gold,
            explanation.label,
            explanation.probs,
        ),
        "rationale": explanation.rationale,
        "contrary": explanation.contrary,
        "other": explanation.other,
        "unknown": explanation.unknown,
        **explanation.scores,
        **{
            f"{method}.{check}": value
            for method, checks in explanation.checks.items()
            for check, value in checks.items()
        },
    }


def skipped(explanations: Sequence[Explanation]) -> Dict[str, Dict[str, int]]:
    """How many of the texts each method has skipped, by reason."""
    counts: Dict[str, Counter] = {}
    for explanation in explanations:
        for method, reason in explanation.skipped.items():
            counts.setdefault(method, Counter())[reason] += 1
    return counts


def summed(batches: Sequence[Dict[str, Dict[str, int]]]) -> Dict[str, Dict[str, int]]:
    """The same of all batches."""
    total: Dict[str, Counter] = {}
    for counts in batches:
        for method, reasons in counts.items():
            total.setdefault(method, Counter()).update(reasons)
    return total


def check_summaries(table: pyarrow.Table) -> Dict[str, Dict[str, Optional[float]]]:
    """Mean and largest absolute value of each check over all texts."""
    summaries = {}
    for name in _check_columns(table):
        # A text that a method has skipped has no check.
        values = numpy.abs(table[name].drop_null().to_numpy())
        summaries[name] = {
            "mean_absolute": _finite(values.mean()) if len(values) else None,
            "largest_absolute": _finite(values.max()) if len(values) else None,
        }
    return summaries


def unknown_tokens(table: pyarrow.Table) -> Optional[Dict[str, int]]:
    """How many tokens there are, how many of them are unknown, and how many texts hold one."""
    if "unknown" not in table.column_names:
        return None
    marks = table["unknown"].to_pylist()
    return {
        "tokens": sum(map(len, marks)),
        "unknown": sum(map(sum, marks)),
        "texts": sum(map(any, marks)),
    }


def in_words(table: pyarrow.Table, metadata: Dict[str, Any]) -> List[str]:
    """Lines for the user: how much was unknown to the model, skipped or flagged."""
    lines = []
    count = table.num_rows
    unknown = metadata["unknown_tokens"]
    if unknown is not None:
        lines.append(
            f"  {100 * unknown['unknown'] / unknown['tokens']:.1f} % of the tokens are unknown to the "
            f"model ({unknown['unknown']} of {unknown['tokens']}, in {unknown['texts']} texts)"
        )
    for method, reasons in metadata["skipped"].items():
        for reason, times in reasons.items():
            lines.append(f"  {method} skipped {times} of {count} texts: {reason}")
    for method, times in _flagged(table).items():
        if times:
            lines.append(
                f"  {method} flagged {times} of {count} texts: its own check fails there "
                "(see its check columns)"
            )
    return lines


def _flagged(table: pyarrow.Table) -> Dict[str, int]:
    """How many texts each method has flagged, for the methods that do so."""
    return {
        name.removesuffix(".flagged"): int(table[name].drop_null().to_numpy().sum())
        for name in _check_columns(table)
        if name.endswith(".flagged")
    }


def _check_columns(table: pyarrow.Table) -> List[str]:
    return [name for name in table.column_names if "." in name]


def _finite(value: float) -> Optional[float]:
    """JSON knows no NaN."""
    return float(value) if numpy.isfinite(value) else None


def read_metadata(path: Union[str, Path]) -> Dict[str, Any]:
    return table_file.read_metadata(path, METADATA)
