"""
The faithfulness file of `allennlp faithfulness`: one row per text, method, measure, removal method and bin.
To add a column, add an attribute to `Measurement` and its type to `COLUMNS`, and set the attribute where the
measure is computed.
"""

from dataclasses import dataclass
from typing import Any

import pyarrow

from attention_explain.files.tables import NUMBERS, TEXT_COLUMNS, TableFormat, replace_surrogates

# Additional "methods", the ends of the scale: the mean over random orders, and the best order found.
RANDOM = "random"
SEARCH = "search"
# A reference next to the methods: words sorted by relevance, the best order that ignores signs.
RELEVANCE = "relevance"
# The order of the rationale, and a single random order: with them, measures are tested against a known truth.
TRUE_ORDER = "rationale"
RANDOM_ORDER = "random-order"
CONTROLS = (RANDOM, SEARCH, RELEVANCE)
# An additional "measure": the fraction of tokens with tied scores.
TIED = "tied"

COLUMNS = pyarrow.schema(
    [
        *(column for column in TEXT_COLUMNS if column.name in ("id", "label", "predicted")),
        pyarrow.field("method", pyarrow.string(), nullable=False),
        pyarrow.field("measure", pyarrow.string(), nullable=False),
        pyarrow.field("erasure", pyarrow.string()),
        pyarrow.field("k", pyarrow.float32()),
        pyarrow.field("value", pyarrow.float64()),
        pyarrow.field("normalised", pyarrow.float64()),
        pyarrow.field("curve", NUMBERS),
        pyarrow.field("undefined", pyarrow.string()),
        pyarrow.field("errors", NUMBERS),
        pyarrow.field("reliability", pyarrow.float32()),
    ]
)
# Columns that files of earlier versions do not have.
NEW_COLUMNS = ("errors", "reliability")

FORMAT = TableFormat(
    name="faithfulness",
    command="allennlp faithfulness",
    key=b"faithfulness",
    columns=tuple(column for column in COLUMNS if column.name not in NEW_COLUMNS),
    described=("methods", "measures"),
    metadata={
        "attributions": "path and hash of the file with the scores",
        "erasures": "removal methods with their parameters",
        "by": "how scores are ranked: `signed`, or by magnitude (`size`)",
        "random_orders": "number of random orders per text",
        "search": "options of the search for the best order",
        "seed": "of random orders and ties",
        "target": "the label that the scores explain; null for the predicted label of each text",
        "skipped": "number of texts without scores of a method, by reason",
        "undefined": "number of undefined values of each measure, by reason",
        "samplings": "how the effects of words were estimated, by measure and removal method: number of "
        "`permutations`, `output`, mean `reliability` on the pilot texts, and the `problem` if it is too low",
    },
)


@dataclass
class Measurement:
    """
    One quantity of one method on one text.

    k : the fraction of tokens, for a quantity of one bin.
    value : None where it is undefined, for the reason in `undefined`.
    normalised : on the scale from random (0) to the best order found (1).
    curve : of a curve measure; for `relevance` and `direction`, in the row of `search`, the effect of each token.
    errors : the standard errors of these effects.
    reliability : the split-half reliability of the relevance of the tokens, from 0 to 1.
    """

    method: str
    measure: str
    erasure: str | None
    k: float | None = None
    value: float | None = None
    normalised: float | None = None
    curve: list[float] | None = None
    undefined: str | None = None
    errors: list[float] | None = None
    reliability: float | None = None


@dataclass
class TextMeasurements:
    """
    All measurements of one text.

    label, predicted : the gold label, if it is known, and the predicted label.
    """

    id: str
    label: str | None
    predicted: str
    rows: list[Measurement]


def records(text: TextMeasurements) -> list[dict[str, Any]]:
    """The rows of a text."""
    about = {
        "id": replace_surrogates(text.id),
        "label": text.label,
        "predicted": text.predicted,
    }
    return [{**about, **vars(each)} for each in text.rows]
