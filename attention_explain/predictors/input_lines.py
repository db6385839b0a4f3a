"""The lines that `allennlp predict` reads: what a line may be, and what is wrong with a bad one."""

import json
from typing import Any, Dict, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict

from attention_explain.data.errors import DataError
from durable.plain_json import read_json

MASKS = ("rationale", "impermissible")


class InputLine(Dict[str, Any]):
    """The fields of a line, its number, and what is wrong with it if it cannot be read."""

    def __init__(self, fields: JsonDict, number: int, problem: Optional[str] = None) -> None:
        super().__init__(fields)
        self.number = number
        self.problem = problem


class BadLine(Dict[str, Any]):
    """Stands where the result of a line would, and holds the reason why there is none."""

    def __init__(self, error: ConfigurationError) -> None:
        super().__init__()
        self.error = error


def parse_line(line: str, number: int) -> InputLine:
    """
    A line is a JSON object or else a text. One that begins like an object but is none is bad: it
    is far more often broken JSON than prose.
    """
    line = line.strip("\ufeff \t\r\n")
    if not line.startswith("{"):
        return InputLine({"text": line}, number)
    try:
        fields = read_json(line)
    except json.JSONDecodeError as error:
        return InputLine({}, number, f"is not JSON ({error})")
    return InputLine(fields, number)


def checked_fields(fields: JsonDict) -> Dict[str, Any]:
    """
    The fields that have a meaning; all others are left aside, as in data files. A line without an
    id gets one, as there.
    """
    if isinstance(fields, InputLine) and fields.problem is not None:
        raise DataError(fields.problem)
    known = ("text", "tokens", "label", "id", *MASKS)
    values = {name: fields[name] for name in known if fields.get(name) is not None}
    # Tokens are exact where an input has both.
    if "tokens" in values:
        values.pop("text", None)
        _check(_is_list_of(values["tokens"], str), "tokens", "a list of texts")
    elif "text" in values:
        _check(isinstance(values["text"], str), "text", "a text")
    else:
        raise DataError(
            "field 'text' (or 'tokens') is missing; the input has "
            f"{', '.join(map(repr, fields)) or 'no field'}"
        )
    if isinstance(fields, InputLine):
        values.setdefault("id", f"line-{fields.number}")
    for name in ("label", "id"):
        if name in values:
            _check(not isinstance(values[name], (list, dict)), name, "a single value")
    for name in MASKS:
        if name in values:
            masks = [values[name]]
            if name == "rationale" and _is_list_of(values[name], (list, tuple)):
                masks = values[name]
            right = all(_is_list_of(mask, (int, float)) for mask in masks)
            _check(right, name, "a list of 0 and 1")
    return values


def _is_list_of(value: Any, kind: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(entry, kind) for entry in value)


def _check(right: bool, field: str, wanted: str) -> None:
    if not right:
        raise DataError(f"field '{field}' is not {wanted}")
