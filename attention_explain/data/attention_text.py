"""The general reader: one text per line, as jsonl, csv or tsv; and the records of such files."""

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

import numpy
from allennlp.data import DatasetReader, Instance
from allennlp.data.fields import TensorField, TextField

from attention_explain.archive_reach import ConfigFiles
from attention_explain.data.errors import DataError
from attention_explain.data.example import (
    FIELDS,
    TEXTS_OF_PAIRS,
    Example,
    example_of,
    names_of_pair,
    read_record,
)
from attention_explain.data.sources import numbered_lines, numbered_rows
from attention_explain.data.text_reader import TextReader, _token, has_digit
from attention_explain.errors import InputError
from attention_explain.files.attributions import Rationale
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


@DatasetReader.register("transformer_text")
class TransformerTextReader(AttentionTextReader):
    """
    Reads the files of `attention_text` for a folder of transformers, and pairs of texts: a line whose
    fields are named as in `FIRST_AND_SECOND` (such as `premise` and `hypothesis`) or in
    `PASSAGE_AND_QUERY` (such as `passage` and `query`; the query is read first) is a pair. Both texts are
    one sequence, with the tokenizer's own symbols and token types. A pair that is too long loses words at
    the end of its first text, or of its passage.

    Registered as a `DatasetReader` with name "transformer_text".

    # Parameters

    query_first : `bool`, optional (default = by the names of the fields)
        Whether the second text is read before the first.
    read_labels : `bool`, optional (default = `True`)
        Whether gold labels are read. Those of a multi-label or regression head are not.

    All others as in `AttentionTextReader`.
    """

    def __init__(self, query_first: bool | None = None, read_labels: bool = True, **kwargs) -> None:
        super().__init__(**kwargs)
        self._read_labels = read_labels
        self.require_label &= read_labels
        self._query_first = query_first

    def example_of(
        self,
        record: Mapping[str, Any],
        id: str = "",
        path: str | None = None,
        line: int | None = None,
    ) -> Example:
        """The text or the pair in a record, a line of a file or an input to predict."""
        renamed = {name: field for name, field in self._fields.items() if name != field}
        pair = names_of_pair(record)
        names, query_first = ({}, False) if pair is None else pair
        names = {**self._fields, **names, **renamed}
        if not self._read_labels:
            record = {name: value for name, value in record.items() if name != names["label"]}
        example = example_of(record, id, path, line, names, self.disallowed_fields)
        example.query_first = query_first if self._query_first is None else self._query_first
        if pair is None:
            example.query_first = False
        return example

    def _all_examples(self, path: str) -> Iterator[Example]:
        known = {*self._fields.values(), *TEXTS_OF_PAIRS}
        for number, record in numbered_records(path, self._format, known):
            yield self.example_of(record, f"line-{number}", path, number)

    def text_to_instance(  # type: ignore[override]
        self,
        text: str | None = None,
        tokens: Sequence[str] | None = None,
        label: str | None = None,
        id: str | None = None,
        rationale: Rationale | None = None,
        impermissible: Sequence[float] | None = None,
        query: str | None = None,
        query_tokens: Sequence[str] | None = None,
        query_first: bool = False,
    ) -> Instance:
        """One Instance from a `text` or its `tokens`, and the second text of a pair."""
        marks: dict[str, Any] = {"rationale": rationale, "impermissible": impermissible}
        pair = {"query": query, "query_tokens": query_tokens, "query_first": query_first}
        return self.instance_of(Example.said(id, label, text=text, tokens=tokens, **marks, **pair))

    def _words(self, example: Example) -> list[str]:
        words = super()._words(example)
        if example.query is not None or example.query_tokens is not None:
            if self._written_indexer is None:
                raise InputError(
                    "pairs need a token indexer 'transformer_pieces' with 'as_written'"
                )
            other = Example(example.id, example.query, example.query_tokens)
            example.query_words = super()._words(other)
            example.query_pieces = other.pieces
            if not example.query_words:
                raise example.error("the second text of the pair is empty")
        return words

    def _to_instance(self, example: Example, words: list[str]) -> Instance:
        instance = super()._to_instance(example, words)
        if example.query_pieces is None:
            return instance
        tokens, second = instance["tokens"].tokens, int(not example.query_first)
        both = TextField(
            [
                *(_token(token.text, token.pieces, 1 - second) for token in tokens),
                *map(_token, example.query_words, example.query_pieces, repeat(second)),
            ]
        )
        instance.add_field("tokens", both)
        instance["metadata"].metadata["query"] = list(example.query_words)
        scored = [True] * len(tokens) + [False] * len(example.query_words)
        instance.add_field("attendable", TensorField(numpy.array(scored)))
        return instance


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
