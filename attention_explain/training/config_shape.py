"""
What a training config has to look like before anything is made of it: which of its fields are objects,
paths, lists and numbers. What a component needs inside its own object, it says itself.
"""

from os import PathLike
from typing import Any, Callable, Dict, Iterator, Mapping, Tuple

from allennlp.common import Params
from allennlp.common.checks import ConfigurationError


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


def _is_seed(value: Any) -> bool:
    # AllenNLP counts a number in quotes as one.
    digits = value.isascii() and value.isdigit() if isinstance(value, str) else _is_number(value)
    return digits and 0 <= int(value) < 2**32


Kind = Tuple[str, Callable[[Any], bool]]
COMPONENT = ("an object with its options, or the name of its type", _is_component)
DATA = ("the path of a file or folder, or several of them", _is_data)
OBJECT = ("an object", lambda value: isinstance(value, Mapping))
LIST = ("a list", lambda value: isinstance(value, list))
TEXTS = ("a list of texts", _is_texts)
SEED = ("a whole number from 0 to 4294967295", _is_seed)
DEVICE = ("the number of a GPU, or -1 for the CPU", _is_number)

NEEDED: Dict[str, Kind] = {
    "dataset_reader": COMPONENT,
    "train_data_path": DATA,
    "model": COMPONENT,
    "data_loader": COMPONENT,
    "trainer": COMPONENT,
}
# Or left out, or null.
OPTIONAL: Dict[str, Kind] = {
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
    "data_loader.cuda_device": DEVICE,
    "validation_data_loader.cuda_device": DEVICE,
}


def check_training_config(params: Params) -> None:
    """Refuses the first field that is of another kind than it has to be, by its name."""
    config = params.as_dict(quiet=True)
    # A loop of another kind has fields of its own.
    if config.get("type", "default") == "default":
        for name, kind in NEEDED.items():
            if name not in config:
                raise ConfigurationError(f"the config has no '{name}', which is {kind[0]}")
            _check(name, config[name], kind)
        for name, kind in OPTIONAL.items():
            value = _field(config, name)
            if value is not None:
                _check(name, value, kind)
    for name, value in _types(config):
        _check(name, value, ("the name of a type", _is_text))


def _field(config: Dict[str, Any], name: str) -> Any:
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
        raise ConfigurationError(f"the config's {name} is {said}, but must be {wanted}")


def _types(value: Any, name: str = "") -> Iterator[Tuple[str, Any]]:
    """All `type`s, wherever they stand; an object by that name is somebody's own."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            place = f"{name}.{key}" if name else key
            if key == "type" and not isinstance(inner, Mapping):
                yield place, inner
            yield from _types(inner, place)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _types(inner, f"{name}[{number}]")
