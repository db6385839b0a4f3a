"""
The perturbation file of `allennlp perturb`: one row per text, with the fields of each perturbation as
`name.field`. A perturbation declares its own fields; nothing here lists them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pyarrow

from attention_explain.files.attributions import ATTENTION
from attention_explain.files.tables import NUMBERS, TEXT_COLUMNS, TableFormat, text_record

FORMAT = TableFormat(
    name="perturbation",
    command="allennlp perturb",
    key=b"attention_explain.perturbations",
    columns=(*TEXT_COLUMNS, pyarrow.field(ATTENTION, NUMBERS, nullable=False)),
    described=("perturbations",),
    metadata={
        "failed": "number of texts for which a perturbation found no other attention",
        "undefined": "number of texts for which a field is undefined",
    },
)


class Field(Enum):
    """The kind of a field of a perturbation. Tensors have NaN where it is undefined for a text."""

    # Shape: (batch,)
    NUMBER = "number"
    # 1 or 0. Shape: (batch,)
    FLAG = "flag"
    # One number per token, 0 at padding. Shape: (batch, tokens)
    TOKENS = "tokens"
    # A list of the same length for every text. Shape: (batch, length)
    LIST = "list"


TYPES = {
    Field.NUMBER: pyarrow.float32(),
    Field.FLAG: pyarrow.bool_(),
    Field.TOKENS: NUMBERS,
    Field.LIST: NUMBERS,
}


@dataclass
class PerturbedText:
    """
    A row of the file: a text, its prediction, and the results of each perturbation.

    tokens : without boundary symbols; every list of weights has the same length.
    label, gold : the predicted label, and the gold label if it is known.
    results : the fields of each perturbation; None where one is undefined.
    """

    id: str
    tokens: list[str]
    label: str
    probs: list[float]
    attention: list[float]
    gold: str | None = None
    results: dict[str, dict[str, Any]] = field(default_factory=dict)


def columns(fields: Mapping[str, Mapping[str, Field]]) -> pyarrow.Schema:
    """The columns for perturbations with these fields; null where a field is undefined."""
    results = [
        pyarrow.field(f"{name}.{each}", TYPES[kind])
        for name, of_name in fields.items()
        for each, kind in of_name.items()
    ]
    return pyarrow.schema([*FORMAT.columns, *results])


def records(text: PerturbedText) -> list[dict[str, Any]]:
    """The row of a text."""
    results = {
        f"{name}.{each}": value
        for name, of_name in text.results.items()
        for each, value in of_name.items()
    }
    about = text_record(text.id, text.tokens, text.gold, text.label, text.probs)
    return [{**about, ATTENTION: text.attention, **results}]
