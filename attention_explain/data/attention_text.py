"""The general reader: one text a line, as jsonl, csv or tsv."""

from functools import cached_property
from typing import Dict, Iterator, List, Optional, Set, Union

from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from attention_explain.data.example import FIELDS, Example, example_of
from attention_explain.data.records import FORMATS, numbered_records
from attention_explain.data.text_reader import TextReader, has_digit
from attention_explain.named_components import check_choice


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
    held_out : `str` or `List[str]`, optional (default = `None`)
        Files of the same form whose texts are dropped, for training data that holds what is to be
        measured on. Texts are the same if their letters are: case, spaces and punctuation do not
        count, nor do words with a digit (or `digit_word` in their place).

    All others as in `TextReader`.
    """

    def __init__(
        self,
        format: Optional[str] = None,
        fields: Optional[Dict[str, str]] = None,
        held_out: Optional[Union[str, List[str]]] = None,
        **kwargs,
    ) -> None:
        super().__init__(**kwargs)
        if format is not None:
            check_choice("format", format, FORMATS)
        unknown = set(fields or {}) - set(FIELDS)
        if unknown:
            raise ConfigurationError(
                f"fields renames {sorted(unknown)}, but only these have a meaning: "
                f"{', '.join(FIELDS)}"
            )
        self._format = format
        self._fields = {**FIELDS, **(fields or {})}
        self._held_out = [held_out] if isinstance(held_out, str) else held_out or []

    def _examples(self, path: str) -> Iterator[Example]:
        for example in self._all_examples(path):
            if self._held_out and self._letters(example) in self._letters_held_out:
                self.counts.dropped["held out"] += 1
            else:
                yield example

    def _all_examples(self, path: str) -> Iterator[Example]:
        for number, record in numbered_records(path, self._format, self._fields.values()):
            yield example_of(record, f"line-{number}", path, number, self._fields)

    @cached_property
    def _letters_held_out(self) -> Set[str]:
        texts = (text for path in self._held_out for text in self._all_examples(path))
        # What has no letters is no text to be known again.
        return {self._letters(text) for text in texts} - {""}

    def _letters(self, example: Example) -> str:
        words = (example.text or "").split() if example.tokens is None else example.tokens
        kept = (word for word in words if word != self._digit_word and not has_digit(word))
        return "".join(letter for word in kept for letter in word.lower() if letter.isalpha())

    def _field_name(self, field: str) -> str:
        return self._fields[field]
