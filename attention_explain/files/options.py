"""
The options of a command, recorded next to its output: a conflict with a later command is found before a model is
loaded.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_explain.errors import InputError
from attention_explain.files.records import read_record, write_record
from attention_explain.messages import shorten


def write_options(path: Path, options: Mapping[str, Any]) -> None:
    """Record the options by the names that users type."""
    write_record(path, _as_json(options))


def check_options(path: Path, options: Mapping[str, Any], work: str, remedy: str) -> None:
    """Raise if the options of the existing work are recorded and differ from these."""
    recorded = read_record(path)
    if recorded is None:
        return
    differences = [
        f"--{name} is {_to_text(value)} now and was {_to_text(recorded[name])}"
        for name, value in _as_json(options).items()
        if name in recorded and recorded[name] != value
    ]
    if differences:
        raise InputError(f"{work} was made with other options: {'; '.join(differences)}; {remedy}")


def _as_json(options: Mapping[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(dict(options)))


def _to_text(value: Any) -> str:
    if value in (None, "", False):
        return "not given"
    if value is True:
        return "given"
    text = value if isinstance(value, str) else json.dumps(value)
    return shorten(text)
