"""What may stand after `--interpreters` or `--perturbations` on the command line."""

import json
import os
from pathlib import Path
from typing import Any, Dict, List, Sequence

from allennlp.common import params
from allennlp.common.checks import ConfigurationError

from attention_explain.named_components import ComponentConfig
from attention_explain.sentences import shortened
from durable.plain_json import read_json

ENDINGS = (".jsonnet", ".json", ".libsonnet")


def listed_configs(arguments: Sequence[str], kind: str) -> List[ComponentConfig]:
    """
    Each argument is a name, a config as JSON, or a file with a list of either (or an object that
    has such a list under the name of its kind: `interpreters`, `perturbations`).
    """
    configs: List[ComponentConfig] = []
    for argument in arguments:
        if argument.endswith(ENDINGS):
            configs += _from_file(argument, kind)
        elif argument.startswith(("{", "[")):
            configs += _as_list(_from_json(argument, kind), argument, kind)
        else:
            configs.append(argument)
    return configs


def _from_file(path: str, kind: str) -> List[ComponentConfig]:
    if not Path(path).is_file():
        raise ConfigurationError(f"{path}: no such file")
    # As for training configs, the environment is there as external variables.
    loaded = read_json(params.evaluate_file(path, ext_vars=_environment()))
    if isinstance(loaded, dict) and kind in loaded:
        loaded = loaded[kind]
    return _as_list(loaded, path, kind)


def _from_json(text: str, kind: str) -> Any:
    try:
        return read_json(text)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"--{kind}: {shortened(text)!r} is not JSON ({error})") from error


def _as_list(loaded: Any, source: str, kind: str) -> List[ComponentConfig]:
    if isinstance(loaded, dict) and "type" in loaded:
        return [loaded]
    if not isinstance(loaded, list):
        raise ConfigurationError(
            f"{shortened(source)}: is no list of {kind}, and no object with a list '{kind}'"
        )
    return loaded


def _environment() -> Dict[str, str]:
    """Without what jsonnet cannot take: values that are not UTF-8."""
    return {
        name: value
        for name, value in os.environ.items()
        if value.isascii() or value.encode("utf-8", "ignore").decode("utf-8") == value
    }
