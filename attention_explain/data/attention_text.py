"""The general reader: one text per line, as jsonl, csv or tsv; and the records of such files."""

import logging
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from allennlp.data import DatasetReader

from attention_explain.archive_reach import ConfigFiles
from attention_explain.data.errors import DataError
from attention_explain.data.example import FIELDS, Example, example_of, read_record
from attention_explain.data.sources import numbered_lines, numbered_rows
from attention_explain.data.text_reader import TextReader, has_digit
from attention_explain.errors import InputError
from attention_explain.named_components import check_choice

logger = logging.getLogger(__name__)

FORMATS = ("jsonl", "csv", "tsv")
ENDINGS = {".jsonl": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv", ".txt": "tsv"}


@DatasetReader.register("attention_text")
class AttentionTextReader(TextReader):
    """
    Reads a jsonl, csv or tsv file (plain or gzip, from a path or URL) with a `text` or its
    `tokens`, a `label`, and optionally an `id` and the masks `rationale` and `impermissible` (0 or
    1 per token). In jsonl, a `rationale` may be a list of such masks, one for each annotator; an empty
    list means no rationale. csv and tsv files have a header line; tokens and masks in them are separated
    by spaces. Without an `id` field the line number serves: `line-7`.

    Registered as a `DatasetReader` with name "attention_text".

    # Parameters

    format : `str`, optional (default = by the file's ending, else `jsonl`)
        `jsonl`, `csv` or `tsv`.
    fields : `Dict[str, str]`, optional
        The file's names of fields that have other names: `{"text": "review"}`.
    held_out : `str` or `List[str]`, optional (default = `None`)
        Files of the same form whose texts are dropped, for training data that contains evaluation
        texts. Texts are the same if their letters are: case, spaces and punctuation are ignored, and
        so are words with a digit (or `digit_word`).
    disallowed_fields : `List[str]`, optional (default = `None`)
        Fields that no line may have, because the model would ignore them. For a folder of transformers
        these are the usual names of the texts of pairs (`hypothesis`, `query`, `text_pair`); an empty
        list allows all fields.

    All others as in `TextReader`.
    """

    def __init__(
        self,
        format: str | None = None,
        fields: dict[str, str] | None = None,
        held_out: str | list[str] | None = None,
        disallowed_fields: list[str] | None = None,
        **kwargs,
    ) -> None:
        super().__init__(**kwargs)
        if format is not None:
            check_choice("format", format, FORMATS)
        unknown = set(fields or {}) - set(FIELDS)
        if unknown:
            raise InputError(
                f"fields renames {sorted(unknown)}, but only these fields are read: "
                f"{', '.join(FIELDS)}"
            )
        self._format = format
        self._fields = {**FIELDS, **(fields or {})}
        self.disallowed_fields = tuple(disallowed_fields or ())
        self._held_out = ConfigFiles(held_out, "held_out")

    def _examples(self, path: str) -> Iterator[Example]:
        for example in self._all_examples(path):
            if self._held_out and self._letters(example) in self._letters_held_out:
                self.counts.dropped["held out"] += 1
            else:
                yield example

    def _all_examples(self, path: str) -> Iterator[Example]:
        for number, record in numbered_records(path, self._format, self._fields.values()):
            yield example_of(
                record, f"line-{number}", path, number, self._fields, self.disallowed_fields
            )

    @cached_property
    def _letters_held_out(self) -> set[str]:
        texts = (text for path in self._held_out for text in self._all_examples(path))
        # Texts without letters cannot be compared.
        return {self._letters(text) for text in texts} - {""}

    def _letters(self, example: Example) -> str:
        words = (example.text or "").split() if example.tokens is None else example.tokens
        kept = (word for word in words if word != self._digit_word and not has_digit(word))
        return "".join(letter for word in kept for letter in word.lower() if letter.isalpha())

    def _field_name(self, field: str) -> str:
        return self._fields[field]


def numbered_records(
    path: str, file_format: str | None, known: Iterable[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """
    The records of a file, each with the number of its line; without a format, the file's ending
    says it. `known` are the columns that count.
    """
    file_format = file_format or _format_by_ending(path)
    if file_format == "jsonl":
        return _json_records(path)
    return _table_records(path, "\t" if file_format == "tsv" else ",", known)


def _format_by_ending(path: str) -> str:
    name = PurePath(urlsplit(path).path if "://" in path else path)
    while name.suffix in (".gz", ".gzip"):
        name = name.with_suffix("")
    return ENDINGS.get(name.suffix.lower(), "jsonl")


def _json_records(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in numbered_lines(path):
        if line.strip():
            yield number, read_record(line, path, number)


def _table_records(
    path: str, delimiter: str, known: Iterable[str]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """`known` are the columns that count: nobody could tell which of two is meant."""
    rows = numbered_rows(path, delimiter)
    first, header = next(rows, (0, []))
    for name in known:
        if header.count(name) > 1:
            raise DataError(f"has {header.count(name)} columns '{name}'", path, first)
    quoted: list[int] = []
    for number, row in rows:
        if len(row) != len(header):
            raise DataError(
                f"has {len(row)} columns, but the header has {len(header)}", path, number
            )
        record = dict(zip(header, row, strict=True))
        if delimiter == "\t" and any(_is_quoted(record.get(name, "")) for name in known):
            quoted.append(number)
        yield number, record
    if quoted:
        logger.warning(
            "%s: %d of the rows have a cell in quotes (the first in line %d); a tsv has no quoting, so "
            "that the quotes become part of the text; save the file as csv, or remove them",
            path,
            len(quoted),
            quoted[0],
        )


def _is_quoted(cell: str) -> bool:
    return len(cell) > 1 and cell[0] == cell[-1] == '"'
