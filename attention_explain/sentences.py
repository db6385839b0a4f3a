"""What a person who typed a command is told of an error: one sentence, where it is theirs to mend."""

import json
import sys
from typing import Optional

from allennlp.common.checks import ConfigurationError


def sentence_of(error: Exception) -> Optional[str]:
    """None for an error of the program, whose traceback is wanted."""
    if isinstance(error, ConfigurationError):
        return " ".join(line.strip() for line in str(error).splitlines()).strip()
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {_shortened(error.doc)} ({error})"
    if isinstance(error, ModuleNotFoundError):
        return _of_a_missing_module(error)
    if isinstance(error, OSError):
        # Those of cached_path, which has names for what is nowhere, have no number.
        return str(error) if error.filename is None else f"{error.filename}: {error.strerror}"
    if isinstance(error, TypeError) and str(error).startswith("Expected "):
        # How AllenNLP says that an option of a config is of the wrong type.
        return str(error)
    return None


def _of_a_missing_module(error: ModuleNotFoundError) -> str:
    packages = [
        argument.removeprefix("--include-package=")
        for option, argument in zip(["", *sys.argv], sys.argv)
        if option == "--include-package" or argument.startswith("--include-package=")
    ]
    for package in packages:
        if f"{package}.".startswith(f"{error.name}."):
            return (
                f"--include-package {package}: there is no module '{error.name}', neither in this "
                "folder nor in the environment"
            )
    return f"this needs the package '{error.name}', which is not installed here"


def _shortened(text: str, most: int = 80) -> str:
    return repr(text if len(text) <= most else text[:most] + "...")
