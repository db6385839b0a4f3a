"""
What is looked at before a training starts, and what to say if it cannot.

Its config, before anything is made of it: which of its fields are objects, paths, lists and numbers.
What a component needs inside its own object, it says itself.

Its folder: whether it may be used. One in which nothing was trained holds nothing that anybody would
miss, and is used again.
"""

import errno
import fcntl
import gzip
import logging
import os
import re
import reprlib
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.meta import META_NAME
from allennlp.models.archival import CONFIG_NAME

from attention_explain.errors import InputError
from attention_explain.files.atomic import clear_unfinished
from attention_explain.files.records import CHECKSUMS, write_checksums
from attention_explain.training.checkpoints import BEST

logger = logging.getLogger(__name__)


def _is_component(value: Any) -> bool:
    return isinstance(value, Mapping) or _is_text(value)


def _is_data(value: Any) -> bool:
    """What AllenNLP's readers take: a path, several, or several by name."""
    several = list(value.values()) if isinstance(value, Mapping) else value
    if isinstance(several, list):
        return bool(several) and all(map(_is_text, several))
    return _is_text(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, PathLike))


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_pattern(value: Any) -> bool:
    try:
        return isinstance(value, str) and bool(re.compile(value))
    except re.error:
        return False


def _is_patterns(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_pattern, value))


def _is_parameter_groups(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_parameter_group, value))


def _is_parameter_group(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 2:
        return False
    patterns, options = value
    if not _is_patterns(patterns) or not isinstance(options, Mapping):
        return False
    numbers = [options[name] for name in OPTIMIZER_NUMBERS if name in options]
    return all(type(number) in (int, float) for number in numbers)


def _is_seed(value: Any) -> bool:
    # AllenNLP counts a number in quotes as one.
    digits = value.isascii() and value.isdigit() if isinstance(value, str) else _is_number(value)
    return digits and 0 <= int(value) < 2**32


Kind = tuple[str, Callable[[Any], bool]]
COMPONENT = ("an object with its options, or the name of its type", _is_component)
DATA = ("the path of a file or folder, or several of them", _is_data)
OBJECT = ("an object", lambda value: isinstance(value, Mapping))
LIST = ("a list", lambda value: isinstance(value, list))
TEXTS = ("a list of texts", _is_texts)
SEED = ("a whole number from 0 to 4294967295", _is_seed)
PATTERNS = ("a list of regular expressions", _is_patterns)
PARAMETER_GROUPS = (
    "a list of groups, each of a list of regular expressions and an object with numbers as options, as "
    "in [[['bias'], {'weight_decay': 0}]]",
    _is_parameter_groups,
)
# Of those that an optimizer may have by group.
OPTIMIZER_NUMBERS = ("eps", "lr", "momentum", "weight_decay")
DEVICE = ("the number of a GPU, or -1 for the CPU", _is_number)

NEEDED: dict[str, Kind] = {
    "dataset_reader": COMPONENT,
    "train_data_path": DATA,
    "model": COMPONENT,
    "data_loader": COMPONENT,
    "trainer": COMPONENT,
}
# Or left out, or null.
OPTIONAL: dict[str, Kind] = {
    "vocabulary": COMPONENT,
    "validation_dataset_reader": COMPONENT,
    "validation_data_path": DATA,
    "validation_data_loader": COMPONENT,
    "test_data_path": DATA,
    "datasets_for_vocab_creation": TEXTS,
    "include_in_archive": TEXTS,
    "distributed": OBJECT,
    "random_seed": SEED,
    "numpy_seed": SEED,
    "pytorch_seed": SEED,
    "trainer.cuda_device": DEVICE,
    "trainer.callbacks": LIST,
    "trainer.no_grad": PATTERNS,
    "trainer.optimizer.parameter_groups": PARAMETER_GROUPS,
    "data_loader.cuda_device": DEVICE,
    "validation_data_loader.cuda_device": DEVICE,
}


def check_training_config(params: Params) -> None:
    """Rejects the first field that is of another kind than it has to be, by its name."""
    config = params.as_dict(quiet=True)
    # A loop of another kind has fields of its own.
    if config.get("type", "default") == "default":
        for name, kind in NEEDED.items():
            if name not in config:
                raise InputError(f"the config has no '{name}', which is {kind[0]}")
            _check(name, config[name], kind)
        for name, kind in OPTIONAL.items():
            value = _field(config, name)
            if value is not None:
                _check(name, value, kind)
    for name, value in _types(config):
        _check(name, value, ("the name of a type", _is_text))


def _field(config: dict[str, Any], name: str) -> Any:
    """None if it is not there."""
    value: Any = config
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _check(name: str, value: Any, kind: Kind) -> None:
    wanted, fits = kind
    if not fits(value):
        said = "null" if value is None else repr(value)
        said = said if len(said) <= 80 else f"{said[:80]}..."
        raise InputError(f"the config's {name} is {said}, but must be {wanted}")


def _types(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """All `type`s, wherever they stand; an object by that name is somebody's own."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            key_path = f"{name}.{key}" if name else key
            if key == "type" and not isinstance(inner, Mapping):
                yield key_path, inner
            yield from _types(inner, key_path)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _types(inner, f"{name}[{number}]")


ARCHIVE = "model.tar.gz"
# A finished training has both; the archive is written last, and in key_path.
RESULTS = ("metrics.json", ARCHIVE)
# What AllenNLP writes before the first epoch is over.
BEFORE_TRAINING = {CONFIG_NAME, META_NAME, "vocabulary", "log"}
LOG_ENDING = ".log"
# The number of differences between two configs that a message lists.
TOLD = 3

# The folder of this process's training, open for as long as it trains: that is its lock.
_held: int | None = None


def may_recover(params: Params, folder: Path, recover: bool) -> bool:
    """
    Whether there is a training to go on with; if the folder cannot be used, a sentence says why. A
    folder in which nothing was trained is emptied, if `hold` has it.
    """
    if not folder.is_dir() or not any(folder.iterdir()):
        return recover
    for name in (BEST, CHECKSUMS):
        clear_unfinished(folder / name)
    if _held is not None and is_untrained(folder):
        logger.warning("%s: nothing was trained there; it is used again", folder)
        for path in folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        return False
    if not (folder / CONFIG_NAME).exists():
        names = sorted(path.name for path in folder.iterdir())
        raise InputError(
            f"{folder}: is not empty and not the folder of a training (it has {names[0]!r}, but no "
            f"{CONFIG_NAME}); give one that is not there yet"
        )
    if recover:
        _check_same_config(params, folder)
    elif all((folder / name).exists() for name in RESULTS) and _is_whole(folder / ARCHIVE):
        raise InputError(
            f"{folder}: holds a finished training; give another folder, or --force to delete it"
        )
    else:
        raise InputError(
            f"{folder}: holds a training that was broken off; --recover goes on with it, --force "
            "deletes it"
        )
    return recover


def finish(folder: Path) -> None:
    """Lists the hashes of what a training that is over has written; they are checked on reading."""
    write_checksums(folder, (CONFIG_NAME, META_NAME, BEST, "vocabulary", *RESULTS))


def is_untrained(folder: Path) -> bool:
    """Whether a training left nothing there but what it writes before its first epoch is over."""
    names = {path.name for path in folder.iterdir()}
    # Both, so that a folder in which somebody keeps a config of his own is not taken for one.
    begun = {CONFIG_NAME, META_NAME} <= names
    return begun and all(name in BEFORE_TRAINING or name.endswith(LOG_ENDING) for name in names)


def hold(folder: Path) -> None:
    """Keeps other processes from training there until this one ends, or trains elsewhere."""
    global _held
    release()
    if not folder.is_dir():
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno == errno.EWOULDBLOCK:
            raise InputError(
                f"{folder}: another process trains there, or has done so and is still running"
            ) from error
        # Some file systems of clusters do not lock folders.
        logger.info("%s: cannot be locked (%s)", folder, error)
    else:
        _held = descriptor


def release() -> None:
    """Release the lock of the run folder."""
    global _held
    if _held is not None:
        os.close(_held)
        _held = None


def _is_whole(archive: Path) -> bool:
    """Gzip has a checksum at its end."""
    try:
        with gzip.open(archive) as file:
            while file.read(1 << 20):
                pass
    except (OSError, EOFError, zlib.error):
        return False
    return True


def _check_same_config(params: Params, folder: Path) -> None:
    path = folder / CONFIG_NAME
    try:
        stored = Params.from_file(str(path)).as_flat_dict()
    except (RuntimeError, ConfigurationError, InputError) as error:
        raise InputError(f"{path}: cannot be read; --force trains again") from error
    given = params.as_flat_dict()
    differences: list[str] = []
    for key in sorted({*stored, *given}):
        if key not in given:
            differences.append(f"{key} was {reprlib.repr(stored[key])} and is not given now")
        elif key not in stored:
            differences.append(f"{key} is {reprlib.repr(given[key])} and was not given")
        elif stored[key] != given[key]:
            differences.append(
                f"{key} was {reprlib.repr(stored[key])} and is {reprlib.repr(given[key])}"
            )
    if differences:
        more = len(differences) - TOLD
        told = ", ".join(differences[:TOLD]) + (f" (and {more} more)" if more > 0 else "")
        raise InputError(
            f"{folder}: was trained with another config, and --recover goes on with the same one "
            f"only: {told}; give another folder, or --force to train again"
        )
