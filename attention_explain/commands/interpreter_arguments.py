"""What may stand after `--interpreters` on the command line."""

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Sequence

from allennlp.common.checks import ConfigurationError
from allennlp.common.params import evaluate_file

from attention_explain.interpret.registry import InterpreterConfig

ENDINGS = (".jsonnet", ".json", ".libsonnet")


def interpreter_configs(arguments: Sequence[str]) -> List[InterpreterConfig]:
    """
    Each argument is the name of a method, its config as JSON, or a file with a list of either (or
    an object whose `interpreters` is such a list).
    """
    configs: List[InterpreterConfig] = []
    for argument in arguments:
        if argument.endswith(ENDINGS):
            configs += _from_file(argument)
        elif argument.startswith(("{", "[")):
            configs += _as_list(_from_json(argument), argument)
        else:
            configs.append(argument)
    return configs


def _from_file(path: str) -> List[InterpreterConfig]:
    if not Path(path).is_file():
        raise ConfigurationError(f"{path}: no such file")
    # As for training configs, the environment is there as external variables.
    loaded = json.loads(evaluate_file(path, ext_vars=_environment()))
    if isinstance(loaded, dict) and "interpreters" in loaded:
        loaded = loaded["interpreters"]
    return _as_list(loaded, path)


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"--interpreters: {text!r} is not JSON ({error})") from error


def _as_list(loaded: Any, source: str) -> List[InterpreterConfig]:
    if isinstance(loaded, dict) and "type" in loaded:
        return [loaded]
    if not isinstance(loaded, list):
        raise ConfigurationError(
            f"{source}: is no list of interpreters, and no object with a list 'interpreters'"
        )
    return loaded


def _environment() -> Dict[str, str]:
    """Without what jsonnet cannot take: values that are not UTF-8."""
    return {
        name: value
        for name, value in os.environ.items()
        if value.isascii() or value.encode("utf-8", "ignore").decode("utf-8") == value
    }
