"""
The identity of a run: a hash of everything that decides its result, independent of names and paths. Data files
count by their content, other runs by their own hash.
"""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analysis.model_config import ModelConfig
from attention_explain.workflow.contents import Contents

# Part of every hash; to be raised when commands give other results for the same config.
FORMAT = 1
LENGTH = 10
# File names must not be too long.
LONGEST_NAME = 150
# Endings of settings that name a file, and of those that may name one.
FILE_ENDINGS = ("_path", "_file", "held_out")
PERHAPS_FILES = (*FILE_ENDINGS, "model_name")
DATA_ENDING = "_data_path"
# In `archive.tar.gz!folder`, a folder inside an archive.
ARCHIVE_MARK = "!"
URL = "://"
# Renamed options of methods, by type: hashes use the original names, so that existing files are found.
ORIGINAL_OPTIONS = {"at": "of", "of": "output"}
ORIGINAL_NAMES = {"leave-one-out": ORIGINAL_OPTIONS, "occlusion": ORIGINAL_OPTIONS}
# The method whose scores guide another model.
GUIDING = "attention"
# References to other runs, as lib/study.libsonnet writes them.
REFERENCE = re.compile(r"<(run|guide|scores|attributions):([^<>/]+)/?([^<>]*)>")


@dataclass(frozen=True)
class Reference:
    """
    A reference to another run of the study.

    kind : `run` for its folder, `guide` for its attention on all splits, `scores` for the scores of any method
        on all splits, `attributions` for a file.
    run : the name of the other run.
    listed : the name of the attributions; or the method of the scores, as a name or as a JSON object.
    """

    kind: str
    run: str
    listed: str = ""

    def seed(self, own: int, one_base: int | None) -> int:
        """
        The seed of the other run: by default that of the run with the reference, so that each seed has its own
        base. With `one_base`, as published, all seeds are compared with the same base. Masked texts always come
        from a chain of runs with the same seed.
        """
        return own if one_base is None or self.kind == "scores" else one_base

    @property
    def method(self) -> str | None:
        """The method whose scores on all splits are meant, if any."""
        return {"guide": GUIDING, "scores": self.listed}.get(self.kind)


def hash_of(value: Any) -> str:
    """A hash of a JSON value, independent of the order of keys."""
    text = json.dumps([FORMAT, value], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def with_original_names(methods: Sequence[Any]) -> list[Any]:
    """Methods with the original names of their options, for hashes."""
    return [
        {
            ORIGINAL_NAMES.get(str(method.get("type")), {}).get(key, key): value
            for key, value in method.items()
        }
        if isinstance(method, dict)
        else method
        for method in methods
    ]


def with_references(value: Any, replace: Callable[[Reference], str]) -> Any:
    """The config with each reference in its strings replaced."""
    if isinstance(value, dict):
        return {key: with_references(one, replace) for key, one in value.items()}
    if isinstance(value, list):
        return [with_references(one, replace) for one in value]
    if isinstance(value, str):
        return REFERENCE.sub(lambda match: replace(Reference(*match.groups())), value)
    return value


def references(value: Any) -> set[str]:
    """The names of all runs that a config refers to."""
    names: set[str] = set()

    def note(reference: Reference) -> str:
        names.add(reference.run)
        return ""

    with_references(value, note)
    return names


def with_contents(value: Any, contents: Contents) -> Any:
    """
    The config with each file and folder, also one inside an archive, replaced by the hash of its content. URLs
    and the splits of the generated corpus stay as they are.
    """

    def content(setting: str, named: str) -> str:
        if not setting.endswith(PERHAPS_FILES):
            return named
        path = Path(named)
        if named and path.exists():
            # The ids of texts contain the name of their folder.
            name = f"/{path.absolute().name}" if path.is_dir() else ""
            return f"sha256:{contents.sha256(path)}{name}"
        archive, mark, inner = named.rpartition(ARCHIVE_MARK)
        if Path(archive).is_file():
            return f"sha256:{contents.sha256(Path(archive))}{mark}{inner}"
        return named

    return _with_names(value, content)


def missing_files(value: Any) -> list[str]:
    """Files that a config names and that do not exist, except URLs and files that other runs make."""
    missing: list[str] = []

    def note(setting: str, named: str) -> str:
        elsewhere = URL in named or REFERENCE.search(named)
        if named and setting.endswith(FILE_ENDINGS) and not elsewhere:
            archive = named.rpartition(ARCHIVE_MARK)[0]
            if not (Path(named).exists() or Path(archive).is_file()):
                missing.append(named)
        return named

    _with_names(value, note)
    return missing


def _with_names(value: Any, replace: Callable[[str, str], str], setting: str = "") -> Any:
    """
    The config with each string replaced, depending on its setting. The splits of the generated corpus, which are
    not files, stay as they are.
    """
    if isinstance(value, dict):
        return {
            name: one
            if name.endswith(DATA_ENDING) and is_embedded(value)
            else _with_names(one, replace, name)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [_with_names(one, replace, setting) for one in value]
    return replace(setting, value) if isinstance(value, str) else value


def is_embedded(config: dict[str, Any]) -> bool:
    """Whether the data are generated, not read from files."""
    reader = config.get("dataset_reader")
    return (reader.get("type") if isinstance(reader, dict) else reader) == "planted"


def fit_for_a_file(name: str) -> str:
    """A valid file name: the name itself, or its plain letters and a hash."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return name if plain == name else f"{plain.strip('-')[:LONGEST_NAME]}-{hash_of(name)}"


def name_of(config: dict[str, Any]) -> str:
    """A readable name that is valid as a folder name: `sst-bilstm-tanh-softmax-adversary-0.001-7`."""
    model = ModelConfig(config)
    try:
        words = [model.corpus, model.registered_name]
    except (AttributeError, KeyError, TypeError):
        # Not our classifier, or an invalid config, which training will report.
        other = config.get("model")
        words = [str(other.get("type") if isinstance(other, dict) else other)]
    words.append(str(config.get("pytorch_seed", "")))
    return re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(words)).strip("-")[-LONGEST_NAME:]
