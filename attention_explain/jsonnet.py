"""
Jsonnet files: evaluates them, reports their errors in one line, and finds `training_configs`, the
configs of this project, from any folder.
"""

import os
from os import PathLike
from pathlib import Path
from typing import Any

import _jsonnet

from attention_explain.errors import InputError
from attention_explain.files.records import read_json

CONFIGS = "training_configs"
# Lines of the stack trace in jsonnet's own library do not help the user.
LIBRARY = "std.jsonnet:"


def configs_folder() -> Path:
    """Return the folder `training_configs`: in the package if installed from a wheel, else next to it."""
    package = Path(__file__).resolve().parent
    installed = package / CONFIGS
    return installed if installed.is_dir() else package.parent / CONFIGS


def import_path() -> str:
    """
    Return the folder that jsonnet searches for imports after the folder of the importing file, so
    that `import 'training_configs/lib/lib.libsonnet'` works everywhere.
    """
    return str(configs_folder().parent)


def find_config(path: str | PathLike) -> str:
    """
    Return the path of a config file that the user names. `training_configs/...` means the files of
    this project unless the current folder has such a file.
    """
    name = os.fspath(path)
    own = Path(import_path(), name)
    is_own = Path(name).parts[:1] == (CONFIGS,) and not Path(name).exists() and own.is_file()
    return str(own) if is_own else name


def evaluate_file(path: str | PathLike, **variables: str) -> Any:
    """
    Evaluate a jsonnet file, with the environment and the given variables as external variables.
    Raises `InputError` if the file is not valid.
    """
    try:
        text = _jsonnet.evaluate_file(
            str(path), jpathdir=[import_path()], ext_vars={**_environment(), **variables}
        )
        return read_json(text)
    except RuntimeError as error:
        raise InputError(jsonnet_message(error, path)) from error
    except ValueError as error:
        raise InputError(f"{path}: cannot be read ({error})") from error


def jsonnet_message(error: RuntimeError, file: str | PathLike) -> str:
    """
    Return jsonnet's error message in one line, with its position and the evaluated file.

    # Parameters

    error : `RuntimeError`
        A message, followed by the stack trace, innermost position first, each after a tab.
    file : `str` or `PathLike`
        The file that was evaluated.
    """
    lines = str(error).splitlines()
    message = " ".join(line.strip() for line in lines if line.strip() and line[0] != "\t")
    positions = [line.split("\t")[1] for line in lines if line.startswith("\t") and ":" in line]
    positions = [position for position in positions if not position.startswith(LIBRARY)]
    sentence = f"{message} at {positions[0]}" if positions else message
    if f" {file}:" in sentence:
        return sentence
    own = next((position for position in positions if position.startswith(f"{file}:")), file)
    return f"{sentence}, in {own}"


def _environment() -> dict[str, str]:
    """Return the environment variables whose values are UTF-8, which jsonnet requires."""
    return {
        name: value
        for name, value in os.environ.items()
        if value.isascii() or value.encode("utf-8", "ignore").decode("utf-8") == value
    }
