"""
The scores to be judged: those of an attribution file, or of anybody else who can write `id`,
`tokens` and a list of scores a method, as parquet, csv or jsonl.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attention_explain.data.attention_text import numbered_records
from attention_explain.data.errors import DataError
from attention_explain.data.sources import read_parquet
from attention_explain.errors import InputError
from attention_explain.files import attributions
from attention_explain.files.faithfulness import CONTROLS, RANDOM, RANDOM_ORDER, TRUE_ORDER
from attention_explain.files.records import read_json
from attention_explain.files.tables import replace_surrogates
from attention_explain.messages import shorten
from attention_explain.passes import random_ranks

# The explained class, in scores from elsewhere.
TARGET = "target"
# Columns of scores from elsewhere that are no methods.
NO_METHODS = {*attributions.RESERVED, TARGET, "text"}
NO_SCORES = "the file has no scores"
NOT_FINITE = "a score is not a finite number"


@dataclass
class ScoredText:
    """
    target : the label that the scores explain; None for the predicted one.
    scores : of each method, one a token; None if there are none, and `missing` then says why.
    """

    id: str
    tokens: list[str]
    target: str | None
    scores: dict[str, list[float] | None]
    missing: dict[str, str] = field(default_factory=dict)


@dataclass
class GivenScores:
    """
    texts : by id.
    methods : what is known of each: `parameters`, with which it can be applied again, and whether it is
        `signed`: of scores from elsewhere, whether one of them is negative.
    metadata : of an attribution file; empty for scores from elsewhere.
    contrasts : whether texts have contrasts of their own.
    """

    path: str
    texts: dict[str, ScoredText]
    methods: dict[str, dict[str, Any]]
    metadata: dict[str, Any]
    contrasts: bool = False


def read_scores(path: str | Path, only: Sequence[str] | None = None) -> GivenScores:
    """
    The scores of a file, or of some of its methods; raises an error that names row and column where
    they are not scores.
    """
    metadata: dict[str, Any] = {}
    suffix = Path(path).suffix.lower()
    if suffix == ".parquet":
        table = read_parquet(path)
        about = table.schema.metadata or {}
        if attributions.FORMAT.key in about:
            metadata = read_json(about[attributions.FORMAT.key])
        rows: Iterator[tuple[str, Mapping[str, Any]]] = (
            (f"row {number}", row) for number, row in enumerate(table.to_pylist(), 1)
        )
    elif suffix in (".jsonl", ".csv"):
        rows = _records(path, lists_in_cells=suffix == ".csv")
    else:
        what = "a folder" if Path(path).is_dir() else f"'{suffix}'"
        raise InputError(
            f"{path}: scores are read from .parquet, .csv and .jsonl files, not from {what}"
        )
    return _scores(str(path), list(rows), metadata, only)


def add_true_order(scores: GivenScores) -> None:
    """
    Add two methods, for texts with a rationale: the rationale itself as scores (of several annotators, their mean),
    and a single random order.
    """
    table = read_parquet(scores.path) if scores.metadata else None
    if table is None or attributions.RATIONALE not in table.column_names:
        raise InputError(f"{scores.path}: its texts have no rationale to be judged as an order")
    marks = table.select(["id", attributions.RATIONALE]).to_pylist()
    for row in marks:
        text = scores.texts[replace_surrogates(row["id"])]
        markings = attributions.markings(row[attributions.RATIONALE])
        order = random_ranks(len(text.tokens), 1, 0, f"{text.id} {RANDOM_ORDER}")[0]
        of_text: dict[str, list[float] | None] = {
            TRUE_ORDER: [sum(each) / len(markings) for each in zip(*markings, strict=True)],
            RANDOM_ORDER: [float(len(order) - rank) for rank in order],
        }
        for name, values in of_text.items():
            text.scores[name] = values if markings else None
            if not markings:
                text.missing[name] = "no rationale"
    scores.methods.update({name: {"signed": False} for name in (TRUE_ORDER, RANDOM_ORDER)})


def _scores(
    path: str,
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    metadata: dict[str, Any],
    only: Sequence[str] | None,
) -> GivenScores:
    if not rows:
        raise InputError(f"{path}: holds no text")
    methods = dict(metadata.get("interpreters") or {name: {} for name in _method_columns(rows)})
    if methods.get(RANDOM, {}).get("parameters", {}).get("type") == RANDOM:
        # Our own method, a single random order; the control is the mean over several.
        del methods[RANDOM]
    if only is not None:
        methods = {name: _named(path, methods, name) for name in only}
    for control in CONTROLS:
        if control in methods:
            raise InputError(
                f"{path}: a method cannot be called '{control}', which is the name of a control; "
                "rename the column, or choose others with --methods"
            )
    if not methods:
        raise InputError(
            f"{path}: has no method; each is a column with a list of numbers per text, next to 'id' "
            "and 'tokens'"
        )
    texts: dict[str, ScoredText] = {}
    for location, row in rows:
        text = _text(f"{path}, {location}", row, methods, metadata)
        if text.id in texts:
            raise InputError(f"{path}, {location}: the id {text.id!r} is there twice")
        texts[text.id] = text
    for name, about in methods.items():
        if "signed" not in about:
            of_texts = (text.scores[name] or () for text in texts.values())
            negative = any(score < 0 for scores in of_texts for score in scores)
            methods[name] = {**about, "signed": negative}
    contrasts = bool(metadata) and any(row.get("contrast") for _, row in rows)
    return GivenScores(path, texts, methods, metadata, contrasts)


def _named(path: str, methods: Mapping[str, Any], name: str) -> Any:
    if name not in methods:
        raise InputError(f"{path}: has no method '{name}'; it has {', '.join(methods)}")
    return methods[name]


def _text(
    location: str, row: Mapping[str, Any], methods: Mapping[str, Any], metadata: Mapping[str, Any]
) -> ScoredText:
    if row.get("id") in (None, ""):
        raise InputError(f"{location}: has no 'id'")
    tokens = row.get("tokens")
    if not isinstance(tokens, list) or not tokens or not all(isinstance(t, str) for t in tokens):
        raise InputError(f"{location}: 'tokens' must be a list of words, but is {tokens!r}")
    target = row.get(TARGET) or metadata.get("target") or row.get("predicted" if metadata else "")
    text = ScoredText(
        replace_surrogates(str(row["id"])),
        [replace_surrogates(each) for each in tokens],
        target,
        {},
    )
    for name in methods:
        scores, problem = _checked(f"{location}, '{name}'", row.get(name), len(tokens))
        text.scores[name] = scores
        if problem is not None:
            skipped = (metadata.get("skipped") or {}).get(name, {})
            text.missing[name] = ", ".join(skipped) or problem
    return text


def _checked(location: str, scores: Any, tokens: int) -> tuple[list[float] | None, str | None]:
    """The scores, or why there are none."""
    if scores is None or scores == "":
        return None, NO_SCORES
    if not isinstance(scores, list) or not all(
        each is None or (isinstance(each, (int, float)) and not isinstance(each, bool))
        for each in scores
    ):
        raise InputError(
            f"{location}: must be a list of numbers, one per token, but is {shorten(repr(scores))}; if "
            "the column holds no scores, name the columns that do with --methods"
        )
    if len(scores) != tokens:
        raise InputError(f"{location}: has {len(scores)} scores for {tokens} tokens")
    if any(each is None or not math.isfinite(each) for each in scores):
        return None, NOT_FINITE
    return scores, None


def _method_columns(rows: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """All columns but those that have another meaning; checks of methods have a dot in their names."""
    names = dict.fromkeys(name for _, row in rows for name in row)
    return [name for name in names if name not in NO_METHODS and "." not in name]


def _records(path: str | Path, lists_in_cells: bool) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """In the cells of a table lists are written as JSON."""
    for number, record in numbered_records(str(path), None, ("id", "tokens")):
        if lists_in_cells:
            record = {name: _cell(path, number, name, cell) for name, cell in record.items()}
        yield f"line {number}", record


def _cell(path: str | Path, number: int, name: str, cell: str) -> Any:
    if not cell.lstrip().startswith("["):
        return cell
    try:
        return read_json(cell)
    except json.JSONDecodeError as error:
        raise DataError(f"'{name}' is not a JSON list ({error})", path, number) from error
