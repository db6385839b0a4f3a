"""One labelled text as its file or a line of input has it: what it may be, and what is wrong."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence

from attention_explain.data.errors import DataError
from durable.plain_json import read_json
from heatmaps.rationales import Rationale

# The fields of a line that have a meaning, by the names they have unless a reader says otherwise.
FIELDS = {name: name for name in ("text", "tokens", "label", "id", "rationale", "impermissible")}


def whole_characters(text: str) -> str:
    """JSON can spell half a character, which no file can hold, and no tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def text_key(id: str, tokens: Sequence[str]) -> bytes:
    """
    What a text is known by when files are joined. The tokens count too, because an id may be that of
    another text in another split (`line-7`). Halves of characters, which no file can hold, are equal
    to the marks that stand for them there.
    """
    content = "\0".join((id, *tokens)).encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=16).digest()


@dataclass
class Example:
    """One labelled text, before any processing."""

    id: str
    text: Optional[str] = None
    tokens: Optional[Sequence[str]] = None
    label: Optional[str] = None
    # One 0/1 a token, as long as the tokens; the rationale may have one such list an annotator.
    rationale: Optional[Rationale] = None
    impermissible: Optional[Sequence[int]] = None
    # Where it comes from, for messages.
    path: Optional[str] = None
    line: Optional[int] = None

    def mend_halves(self) -> bool:
        """Whether anything was half a character, and is now the mark that stands for it in files."""
        mended = False
        for name in ("id", "text", "label"):
            value = getattr(self, name)
            if isinstance(value, str) and (whole := whole_characters(value)) != value:
                setattr(self, name, whole)
                mended = True
        tokens = [whole_characters(str(token)) for token in self.tokens or ()]
        if self.tokens is not None and tokens != list(map(str, self.tokens)):
            self.tokens = tokens
            mended = True
        return mended

    def error(self, problem: str) -> DataError:
        return DataError(problem, self.path, self.line)

    def given(self) -> Dict[str, Any]:
        """The fields that it has."""
        values = {name: getattr(self, name) for name in FIELDS} | {"id": self.id or None}
        return {name: value for name, value in values.items() if value is not None}


def read_record(
    line: str, path: Optional[str] = None, number: Optional[int] = None
) -> Dict[str, Any]:
    """The JSON object of a line."""
    try:
        record = read_json(line)
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON ({error})", path, number) from error
    if not isinstance(record, dict):
        raise DataError("is not a JSON object", path, number)
    return record


def example_of(
    record: Mapping[str, Any],
    id: str = "",
    path: Optional[str] = None,
    line: Optional[int] = None,
    names: Mapping[str, str] = FIELDS,
) -> Example:
    """
    The text of a record: of a line of a file, or of what is to be predicted.

    # Parameters

    record : `Mapping[str, Any]`
        Fields without a meaning are left aside. Tokens and masks may be one string, separated by
        spaces, as in a table's cell.
    id : `str`
        For a record that has none.
    path, line : optional
        Where it is from, for messages.
    names : `Mapping[str, str]`, optional
        What the record calls each field.
    """
    # An empty cell of a table is an absent value, but an empty text is an empty text.
    values = {
        name: record[field]
        for name, field in names.items()
        if record.get(field) is not None and (record[field] != "" or name == "text")
    }
    example = Example(id=id, path=path, line=line)
    # Tokens are exact where a record has both.
    if "tokens" in values:
        example.tokens = _as_list(example, names["tokens"], values["tokens"])
        if not all(isinstance(token, str) for token in example.tokens):
            raise example.error(f"field '{names['tokens']}' may hold only texts")
    elif "text" in values:
        if not isinstance(values["text"], str):
            raise example.error(f"field '{names['text']}' is not a text")
        example.text = values["text"]
    else:
        raise example.error(
            f"field '{names['text']}' (or '{names['tokens']}') is missing; "
            f"the line has {', '.join(map(repr, record)) or 'no field'}"
        )
    for name in {"label", "id"} & values.keys():
        if isinstance(values[name], (list, dict)):
            raise example.error(f"field '{names[name]}' is not a single value")
        setattr(example, name, str(values[name]))
    if "rationale" in values:
        marked = _as_list(example, names["rationale"], values["rationale"])
        if marked and all(isinstance(each, (list, tuple)) for each in marked):
            example.rationale = [_numbers(example, names["rationale"], each) for each in marked]
        else:
            example.rationale = _numbers(example, names["rationale"], marked)
    if "impermissible" in values:
        mask = _as_list(example, names["impermissible"], values["impermissible"])
        example.impermissible = _numbers(example, names["impermissible"], mask)
    return example


def _as_list(example: Example, field: str, value: Any) -> list:
    if isinstance(value, str):
        return value.split()
    if not isinstance(value, (list, tuple)):
        raise example.error(f"field '{field}' is not a list")
    return list(value)


def _numbers(example: Example, field: str, mask: Sequence[Any]) -> List[float]:
    try:
        # Not int(), which would make 0 of a weight of 0.9.
        return [float(value) for value in mask]
    except (TypeError, ValueError) as error:
        raise example.error(f"field '{field}' may hold only 0 and 1") from error
