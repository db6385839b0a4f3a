"""What methods say of their cost, from `passes.toml`, which plans of studies read, too."""

import tomllib
from pathlib import Path
from typing import Any

_DECLARED = tomllib.loads(Path(__file__).with_name("passes.toml").read_text(encoding="utf-8"))


def declared_passes(method: str, at: str = "", **options: Any) -> str:
    """
    # Parameters

    method : `str`
        The registered name of an interpreter.
    at : `str`, optional
        Where it looks, if that makes a difference: `hidden`.
    options
        Those that decide the number of passes, as people are to read them.
    """
    declared = _DECLARED["interpreters"][method]
    return declared.get(at, declared)["said"].format(**options)
