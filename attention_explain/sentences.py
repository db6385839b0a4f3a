"""What a user is told of an error: a message without a traceback, if the user can fix it."""

import json
import pickle
import re
import sys
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

from allennlp.common.checks import ConfigurationError

from attention_explain.errors import InputError
from attention_explain.files.records import describe_os_error, read_json
from attention_explain.messages import shorten

# Of a file of weights that torch does not load.
NO_NUMBERS = "holds more than numbers, and is not loaded, because that could run code"

OUT_OF_MEMORY = (
    "not enough memory; a text may be too long (the reader's options max_tokens and too_long), or a "
    "batch or layer too large"
)
# What AllenNLP says of an item that a vocabulary without a symbol for unknown ones lacks.
NO_UNKNOWN_SYMBOL = re.compile(r"'(.*)' not found in vocab namespace '(.*)', and namespace does")


def sentence_of(error: Exception) -> str | None:
    """None for an error of the program, whose traceback is wanted."""
    if isinstance(error, (ConfigurationError, InputError)):
        return " ".join(line.strip() for line in str(error).splitlines()).strip()
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {shorten(error.doc)!r} ({error})"
    if isinstance(error, ModuleNotFoundError):
        return _of_a_missing_module(error)
    if isinstance(error, OSError):
        return describe_os_error(error)
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        half = error.object[error.start : error.end]
        around = shorten(error.object[max(0, error.start - 20) :])
        return f"the text {around!r} has half a character, {half!r}, which no file can hold"
    if isinstance(error, MemoryError) or _is_out_of_memory(error):
        return f"{OUT_OF_MEMORY} ({str(error).splitlines()[0] if str(error) else 'no details'})"
    if isinstance(error, re.error):
        return f"{error.pattern!r} is not a regular expression ({error})"
    if isinstance(error, KeyError) and (missing := NO_UNKNOWN_SYMBOL.search(str(error))):
        return (
            f"{missing[1]!r} is not in the vocabulary's namespace '{missing[2]}', which has no symbol "
            "for unknown items; train with texts that contain it, give the vocabulary's reader the "
            "token_indexers of the dataset reader, or choose a namespace that does not end in 'tags' "
            "or 'labels'"
        )
    if isinstance(error, (RecursionError, ValueError)):
        return _of_json(error) or _of_a_component(error)
    if isinstance(error, pickle.UnpicklingError):
        file = _seen(error, "torch/serialization.py", "load", "f")
        return f"{file or 'a file of weights'}: {NO_NUMBERS}"
    if isinstance(error, RuntimeError):
        # torch has no exceptions of its own for files; what it says is about its own code.
        file = _seen(error, "torch/serialization.py", "save", "f")
        written = None if file is None else f"{file}: cannot be written; is the disk full?"
        return written or _of_a_component(error)
    if isinstance(error, TypeError) and str(error).startswith("Expected "):
        # How AllenNLP says that an option of a config is of the wrong type.
        return str(error)
    return None


def _is_out_of_memory(error: Exception) -> bool:
    """torch has an exception of its own for GPUs alone."""
    words = ("can't allocate memory", "not enough memory", "out of memory")
    return isinstance(error, RuntimeError) and any(each in str(error) for each in words)


def _of_json(error: Exception) -> str | None:
    """JSON that AllenNLP reads itself, and Python cannot: nested too deeply, or with huge numbers."""
    text = _seen(error, "json/__init__.py", "loads", "s")
    if text is None:
        return None
    try:
        read_json(text)
    except json.JSONDecodeError as same:
        return sentence_of(same)
    return None


def _of_a_component(error: Exception) -> str | None:
    """
    What a component of a config says, when it is made, of the options that it was given: an error
    of its constructor, and of nothing that is called there.
    """
    frames = list(_frames(error))
    made = frames[-1].f_locals.get("self") if frames else None
    inner = len(frames)
    while frames and frames[-1].f_code.co_name == "__init__":
        frames.pop()
    by = frames[-1].f_code.co_filename if frames and len(frames) < inner else ""
    if not by.endswith("allennlp/common/from_params.py"):
        return None
    return f"{type(made).__name__}: {str(error).splitlines()[0]}"


def _seen(error: BaseException, file: str, function: str, name: str) -> Any:
    """What a variable held in the innermost call of that function; None if there was none."""
    held = None
    for frame in _frames(error):
        code = frame.f_code
        if code.co_filename.endswith(file) and code.co_name == function:
            held = frame.f_locals.get(name)
    return held


def _frames(error: BaseException) -> Iterator[FrameType]:
    return (frame for frame, _ in traceback.walk_tb(error.__traceback__))


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
