"""The general reader: one text a line, as jsonl, csv or tsv."""

import json
from pathlib import PurePath
from typing import Any, Dict, Iterator, List, Optional, Tuple
from urllib.parse import urlsplit

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.data.sources import numbered_lines
from attention_explain.data.tables import numbered_rows
from attention_explain.data.text_reader import TextReader
from attention_explain.named_components import check_choice
from durable.plain_json import read_json

FORMATS = ("jsonl", "csv", "tsv")
ENDINGS = {".jsonl": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".txt": "tsv"}
DEFAULT_FIELDS = {
    name: name for name in ("text", "tokens", "label", "id", "rationale", "impermissible")
}


@DatasetReader.register("attention_text")
class AttentionTextReader(TextReader):
    """
    Reads a jsonl, csv or tsv file (plain or gzip, from a path or URL) with a `text` or its
    `tokens`, a `label`, and optionally an `id` and the masks `rationale` and `impermissible` (0 or
    1 a token). In jsonl, a `rationale` may be a list of such masks, one for each annotator; an empty
    list is nobody's. csv and tsv files have a header line; tokens and masks in them are separated
    by spaces. Without an `id` field the line number serves: `line-7`.

    Registered as a `DatasetReader` with name "attention_text".

    # Parameters

    format : `str`, optional (default = by the file's ending, else `jsonl`)
        `jsonl`, `csv` or `tsv`.
    fields : `Dict[str, str]`, optional
        The file's name for a field, where it is another one: `{"text": "review"}`.

    All others as in `TextReader`.
    """

    def __init__(
        self, format: Optional[str] = None, fields: Optional[Dict[str, str]] = None, **kwargs
    ) -> None:
        super().__init__(**kwargs)
        if format is not None:
            check_choice("format", format, FORMATS)
        unknown = set(fields or {}) - set(DEFAULT_FIELDS)
        if unknown:
            raise ConfigurationError(
                f"fields renames {sorted(unknown)}, but only these have a meaning: "
                f"{', '.join(DEFAULT_FIELDS)}"
            )
        self._format = format
        self._fields = {**DEFAULT_FIELDS, **(fields or {})}

    def _examples(self, path: str) -> Iterator[Example]:
        for number, record in self._records(path):
            yield self._example(path, number, record)

    def _records(self, path: str) -> Iterator[Tuple[int, Dict[str, Any]]]:
        file_format = self._format or _format_by_ending(path)
        if file_format == "jsonl":
            return _json_records(path)
        return _table_records(path, delimiter="\t" if file_format == "tsv" else ",")

    def _example(self, path: str, number: int, record: Dict[str, Any]) -> Example:
        # An empty cell of a table is an absent value, but an empty text is an empty text.
        values = {
            name: record[field]
            for name, field in self._fields.items()
            if record.get(field) is not None and (record[field] != "" or name == "text")
        }
        example = Example(id=str(values.get("id", f"line-{number}")), path=path, line=number)
        # Tokens are exact where a file has both.
        if "tokens" in values:
            example.tokens = _as_list(example, self._fields["tokens"], values["tokens"])
            if not all(isinstance(token, str) for token in example.tokens):
                raise example.error(f"field '{self._fields['tokens']}' may hold only texts")
        elif "text" in values:
            if not isinstance(values["text"], str):
                raise example.error(f"field '{self._fields['text']}' is not a text")
            example.text = values["text"]
        else:
            raise example.error(
                f"field '{self._fields['text']}' (or '{self._fields['tokens']}') is missing; "
                f"the line has {', '.join(map(repr, record)) or 'no field'}"
            )
        if isinstance(values.get("label"), (list, dict)):
            raise example.error(f"field '{self._fields['label']}' is not a single label")
        if "label" in values:
            example.label = str(values["label"])
        for name in ("rationale", "impermissible"):
            if name in values:
                mask = _as_list(example, self._fields[name], values[name])
                if name == "rationale" and mask and all(isinstance(each, list) for each in mask):
                    mask = [self._numbers(example, name, marking) for marking in mask]
                else:
                    mask = self._numbers(example, name, mask)
                setattr(example, name, mask)
        return example

    def _numbers(self, example: Example, name: str, mask: list) -> List[float]:
        try:
            # Not int(), which would make 0 of a weight of 0.9.
            return [float(value) for value in mask]
        except (TypeError, ValueError) as error:
            name = self._fields[name]
            raise example.error(f"field '{name}' may hold only 0 and 1") from error

    def _field_name(self, field: str) -> str:
        return self._fields[field]


def _format_by_ending(path: str) -> str:
    name = PurePath(urlsplit(path).path if "://" in path else path)
    while name.suffix in (".gz", ".gzip"):
        name = name.with_suffix("")
    return ENDINGS.get(name.suffix.lower(), "jsonl")


def _json_records(path: str) -> Iterator[Tuple[int, Dict[str, Any]]]:
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            record = read_json(line)
        except json.JSONDecodeError as error:
            raise DataError(f"is not JSON ({error})", path, number) from error
        if not isinstance(record, dict):
            raise DataError("is not a JSON object", path, number)
        yield number, record


def _table_records(path: str, delimiter: str) -> Iterator[Tuple[int, Dict[str, Any]]]:
    rows = numbered_rows(path, delimiter)
    _, header = next(rows, (0, []))
    for number, row in rows:
        if len(row) != len(header):
            raise DataError(
                f"has {len(row)} columns, but the header has {len(header)}", path, number
            )
        yield number, dict(zip(header, row, strict=True))


def _as_list(example: Example, field: str, value: Any) -> list:
    if isinstance(value, str):
        return value.split()
    if not isinstance(value, list):
        raise example.error(f"field '{field}' is not a list")
    return value
