"""
The perturbation file: one row an instance, with the fields of each perturbation as `name.field`.

It follows the rules of the attribution file, but its metadata are under a key of their own, so that
neither is taken for the other.
"""

from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

import numpy
import pyarrow
import pyarrow.compute

from attention_explain.commands import table_file
from attention_explain.counterfactual.perturbation import Field, Perturbation
from attention_explain.counterfactual.perturber import Perturbed

METADATA = b"attention_explain.perturbations"
# Of the layout below; a reader may refuse what it does not know.
FORMAT = 1

TYPES = {
    Field.NUMBER: pyarrow.float32(),
    Field.FLAG: pyarrow.bool_(),
    Field.TOKENS: table_file.NUMBERS,
    Field.LIST: table_file.NUMBERS,
}


def schema(perturbations: Mapping[str, Perturbation]) -> pyarrow.Schema:
    """
    The text and its prediction, the model's attention, then the fields of each perturbation; null
    where one is undefined.
    """
    return pyarrow.schema(
        [
            *table_file.text_fields(),
            pyarrow.field("attention", table_file.NUMBERS, nullable=False),
            *(
                pyarrow.field(f"{name}.{field}", TYPES[kind])
                for name, perturbation in perturbations.items()
                for field, kind in perturbation.fields.items()
            ),
        ]
    )


def to_table(
    perturbed: Sequence[Perturbed], rows: Sequence[int], columns: pyarrow.Schema
) -> pyarrow.Table:
    """The texts, and the place of each in the whole."""
    return table_file.to_part([_record(text) for text in perturbed], rows, columns)


def _record(text: Perturbed) -> Dict[str, Any]:
    return {
        **table_file.text_values(text.id, text.tokens, text.gold, text.label, text.probs),
        "attention": text.attention,
        **{
            f"{name}.{field}": value
            for name, fields in text.results.items()
            for field, value in fields.items()
        },
    }


def in_words(
    table: pyarrow.Table, metadata: Dict[str, Any], perturbations: Mapping[str, Perturbation]
) -> List[str]:
    """
    Lines for the user: what failed or is undefined, and what each perturbation found, of those that
    have something to say.
    """
    count = table.num_rows
    lines = [
        f"  {name} found no other attention for {times} of {count} texts"
        for name, times in metadata["failed"].items()
    ]
    # Most often all fields of a perturbation are, for the same texts.
    alike: Dict[Tuple[str, int], List[str]] = {}
    for name, times in metadata["undefined"].items():
        perturbation, _, field = name.partition(".")
        alike.setdefault((perturbation, times), []).append(field)
    lines += [
        f"  {perturbation} is undefined ({', '.join(fields)}) for {times} of {count} texts"
        for (perturbation, times), fields in alike.items()
    ]
    for name, perturbation in perturbations.items():
        results = {
            field: table[f"{name}.{field}"].cast(pyarrow.float64()).to_numpy()
            for field, kind in perturbation.fields.items()
            if kind in (Field.NUMBER, Field.FLAG)
        }
        if not any(numpy.isnan(values).all() for values in results.values()):
            lines.append(perturbation.found(results))
    return [line for line in lines if line is not None]


def failed(table: pyarrow.Table) -> Dict[str, int]:
    """How many texts each perturbation found nothing for, of those that can fail."""
    return {
        name.removesuffix(".success"): table.num_rows - pyarrow.compute.sum(table[name]).as_py()
        for name in table.column_names
        if name.endswith(".success")
    }


def undefined(table: pyarrow.Table) -> Dict[str, int]:
    """For how many texts a field is undefined, where it is for any."""
    counts = {name: table[name].null_count for name in table.column_names if "." in name}
    return {name: count for name, count in counts.items() if count}


def read_metadata(path: Union[str, Path]) -> Dict[str, Any]:
    return table_file.read_metadata(path, METADATA)
