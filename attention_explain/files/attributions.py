"""
The attribution file of `allennlp attribute`: one row per text, one list of scores per method. To add a
column, add an attribute to `ExplainedText` and its type to `OPTIONAL_COLUMNS`, and set the attribute in
`attention_explain/interpret/explainer.py`; writer, reader and reserved names follow.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow

from attention_explain.files.tables import (
    MARKS,
    NUMBERS,
    ROW,
    TEXT_COLUMNS,
    WORDS,
    TableFormat,
    text_record,
)

# The method that the other methods are compared with.
ATTENTION = "attention"
RATIONALE = "rationale"
# Columns that some files have, by the attribute of `ExplainedText` that they hold.
OPTIONAL_COLUMNS: dict[str, pyarrow.DataType] = {
    RATIONALE: MARKS,
    "contrary": MARKS,
    "other": WORDS,
    "fragments": WORDS,
    "unknown": MARKS,
    "target": pyarrow.string(),
    "contrast": pyarrow.string(),
}
# Columns of files in which texts have different values; otherwise the metadata have the value.
OF_TEXTS = ("target", "contrast")
# Names that no method can have.
RESERVED = (*(column.name for column in TEXT_COLUMNS), *OPTIONAL_COLUMNS, ROW)

FORMAT = TableFormat(
    name="attribution",
    command="allennlp attribute",
    key=b"attention_explain",
    columns=TEXT_COLUMNS,
    described=("interpreters",),
    component_columns=True,
    metadata={
        "target": "the label that is explained; null for the predicted label of each text, or if texts have "
        "targets of their own",
        "contrast": "the label that the explained label is contrasted with, where there is one for all texts",
        "side": "the text of a pair that is scored, where that is not the passage",
        "left_out": "default methods that the model does not support, with reasons",
        "unknown_tokens": "number of tokens, of unknown ones, and of texts with one",
        "skipped": "number of texts that each method skipped, by reason",
        "checks": "mean and largest absolute value of the methods' own checks",
    },
)

# 0 or 1 per token; or one such list per annotator.
Rationale = Sequence[float] | Sequence[Sequence[float]]

# The origin of rationales: the generator of the corpus, which knows what decides the label, or annotators,
# whose marks are no fact about the model.
KNOWN = "known causes"
MARKED = "marked by people"
# Readers of texts whose labels were made from the tokens that they mark.
MADE_FROM_CAUSES = ("planted", "babi")


def rationales_of(config: Mapping[str, Any]) -> str:
    """The origin of the rationales, `KNOWN` or `MARKED`, from the training config in a file."""
    reader = config.get("validation_dataset_reader") or config.get("dataset_reader")
    options = reader if isinstance(reader, Mapping) else {"type": reader}
    known = options.get("type") in MADE_FROM_CAUSES or options.get("shortcut") is not None
    return KNOWN if known else MARKED


def markings(rationale: Rationale | None) -> list[Sequence[float]]:
    """The marks of each annotator; an empty list if there is no rationale."""
    # Pandas has NaN for a missing value.
    if rationale is None or isinstance(rationale, float):
        return []
    return list(rationale) if several(rationale) else [rationale]  # type: ignore[arg-type, list-item]


def several(rationale: Rationale) -> bool:
    """Whether these are the marks of several annotators."""
    return len(rationale) > 0 and isinstance(rationale[0], Collection)


@dataclass
class ExplainedText:
    """
    A row of the file: a text, its prediction, and the scores of its tokens by each method.

    tokens : without boundary symbols; every list of scores has the same length.
    label : the predicted label.
    labels, probs : the model's labels and their probabilities, in the same order.
    attention : the model's weights.
    scores : by method; None where the method failed on this text, for the reason in `skipped`.
    signed : by method, whether a score may be negative.
    checks : by method, numbers that tell how good its scores are.
    target : the label that is explained, if it is not the predicted label of each text.
    contrast : the label that the explained one is contrasted with, if there is one.
    gold : the gold label.
    rationale : the tokens that decide the label, by one or several annotators.
    contrary : 1 for each token that speaks against the gold label.
    other : the words of the other text of a pair; those of the query if both have scores.
    fragments : of a hybrid document, the class of the text that each token is from.
    unknown : 1 for each token that is not in the model's vocabulary.
    rationales : the origin of the rationale, `KNOWN` or `MARKED`.
    side : the text of a pair that has scores: `passage`, `query`, or `both`, the query's words last.
    """

    tokens: list[str]
    label: str
    labels: list[str]
    probs: list[float]
    attention: list[float] | None = None
    scores: dict[str, list[float] | None] = field(default_factory=dict)
    signed: dict[str, bool] = field(default_factory=dict)
    checks: dict[str, dict[str, float]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    id: str = ""
    target: str | None = None
    contrast: str | None = None
    gold: str | None = None
    rationale: Rationale | None = None
    contrary: list[int] | None = None
    other: list[str] | None = None
    fragments: list[str] | None = None
    unknown: list[int] | None = None
    rationales: str = MARKED
    side: str | None = None


def columns(example: ExplainedText, data: Iterable[Mapping[str, Any]]) -> pyarrow.Schema:
    """
    The text and its prediction, the optional columns, the scores of each method, and its checks as
    `method.check`.

    # Parameters

    example : `ExplainedText`
        One of the texts, explained by every method.
    data : `Iterable[Mapping[str, Any]]`
        What the data contain about each text: a rationale may be missing for some.
    """
    texts = list(data)
    fields = [*TEXT_COLUMNS]
    for name, kind in OPTIONAL_COLUMNS.items():
        values = [text[name] for text in texts if text.get(name) is not None]
        if kind == MARKS and any(map(several, values)):
            kind = pyarrow.list_(kind)
        if values or (name not in OF_TEXTS and getattr(example, name) is not None):
            fields.append(pyarrow.field(name, kind))
    # A method that failed on a text has null there, not a list of NaN.
    fields += [pyarrow.field(method, NUMBERS) for method in example.scores]
    fields += [
        pyarrow.field(name, pyarrow.float32() if isinstance(value, float) else pyarrow.int32())
        for name, value in _check_values(example).items()
    ]
    return pyarrow.schema(fields)


def records(text: ExplainedText, columns: pyarrow.Schema) -> list[dict[str, Any]]:
    """The row of a text."""
    optional = {name: getattr(text, name) for name in OPTIONAL_COLUMNS}
    for name in OPTIONAL_COLUMNS:
        if name in columns.names and columns.field(name).type == pyarrow.list_(MARKS):
            optional[name] = markings(optional[name]) or None
    return [
        {
            **text_record(text.id, text.tokens, text.gold, text.label, text.probs),
            **optional,
            **text.scores,
            **_check_values(text),
        }
    ]


def _check_values(text: ExplainedText) -> dict[str, float]:
    return {
        f"{method}.{check}": value
        for method, checks in text.checks.items()
        for check, value in checks.items()
    }


def attributes(row: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """
    The attributes of an `ExplainedText` from a row, as `pyarrow.Table.to_pylist` returns it. The model's
    attention is only known if it is one of the methods.
    """
    methods: dict[str, dict[str, Any]] = metadata["interpreters"]
    optional = {name: row.get(name) for name in OPTIONAL_COLUMNS}
    checks = {
        method: {
            name.removeprefix(f"{method}."): value
            for name, value in row.items()
            if name.startswith(f"{method}.") and value is not None
        }
        for method in methods
    }
    return {
        "id": row["id"],
        "tokens": row["tokens"],
        "label": row["predicted"],
        "labels": metadata["labels"],
        "probs": row["probs"],
        "scores": {name: row[name] for name in methods},
        "signed": {name: about["signed"] for name, about in methods.items()},
        "checks": {method: of_method for method, of_method in checks.items() if of_method},
        "skipped": {
            name: ", ".join(metadata["skipped"].get(name, {}))
            for name in methods
            if row[name] is None
        },
        "gold": row["label"],
        **optional,
        **{name: optional[name] or metadata.get(name) for name in OF_TEXTS},
        "rationales": rationales_of(metadata["config"]),
        "side": None if optional["other"] is None else metadata.get("side", "passage"),
    }
