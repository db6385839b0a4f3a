"""
The options that a command was started with, kept beside its work: a conflict with a later command is
found before a model is loaded.
"""

import json
from pathlib import Path
from typing import Any, Dict, Mapping

from attention_explain.errors import InputError
from attention_explain.files.records import read_record, write_record


def write_options(path: Path, options: Mapping[str, Any]) -> None:
    """Records the options by the names that users type."""
    write_record(path, _as_json(options))


def check_options(path: Path, options: Mapping[str, Any], work: str, remedy: str) -> None:
    """Raises if the options of the existing work are recorded and differ from these."""
    recorded = read_record(path)
    if recorded is None:
        return
    differences = [
        f"--{name} is {_shown(value)} now and was {_shown(recorded[name])}"
        for name, value in _as_json(options).items()
        if name in recorded and recorded[name] != value
    ]
    if differences:
        raise InputError(f"{work} was made with other options: {'; '.join(differences)}; {remedy}")


def _as_json(options: Mapping[str, Any]) -> Dict[str, Any]:
    return json.loads(json.dumps(dict(options)))


def _shown(value: Any) -> str:
    if value in (None, "", False):
        return "not given"
    if value is True:
        return "given"
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 80 else text[:80] + "..."
