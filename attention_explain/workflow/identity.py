"""
What a run is, whatever it is called and wherever its files lie: the hash of all that decides its
result. Data files count by their content, other runs by their own hash.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

from analysis.model_config import ModelConfig
from attention_explain.workflow.contents import Contents

# Counts among what decides a result: raised when the commands' results change for the same config.
FORMAT = 1
LENGTH = 10
# A corpus may be called by more words than the name of a file can have.
LONGEST_NAME = 150
# Settings that name a file, and those that do if there is one of that name.
FILE_ENDINGS = ("_path", "_file", "held_out")
PERHAPS_FILES = (*FILE_ENDINGS, "model_name")
DATA_ENDING = "_data_path"
# `archive.tar.gz!folder` is a folder inside an archive.
ARCHIVE_MARK = "!"
URL = "://"
# Options of methods that have another name now, by type: hashed by the first one they had, so that files
# on users' disks are still found.
ERASING = {"at": "of", "of": "output"}
FIRST_NAMES = {"leave-one-out": ERASING, "occlusion": ERASING}
# The method that a guided model takes from another.
GUIDING = "attention"
# How lib/study.libsonnet refers to other runs of the study.
REFERENCE = re.compile(r"<(run|guide|scores|attributions):([^<>/]+)/?([^<>]*)>")


@dataclass(frozen=True)
class Reference:
    """
    What a run takes from another one of the study.

    kind : `run` for its folder, `guide` for its attention on every split, `scores` for those of any
        method there, `attributions` for a file.
    run : the name of the other.
    listed : the name of its attributions, or the method of its scores, if these are meant: a name, or an
        object as JSON.
    """

    kind: str
    run: str
    listed: str = ""

    def seed(self, own: int, one_base: Optional[int]) -> int:
        """
        Of the run that is meant: that of the run which refers to it, so that each seed has a base of its own;
        unless there is one base, as published, that all are held against. Masked texts are always those
        of a chain of runs, each with the seed of the one before.
        """
        return own if one_base is None or self.kind == "scores" else one_base

    @property
    def method(self) -> Optional[str]:
        """Whose scores on every split are meant, if such are."""
        return {"guide": GUIDING, "scores": self.listed}.get(self.kind)


def hash_of(value: Any) -> str:
    """The same for the same JSON, whatever the order of its keys."""
    text = json.dumps([FORMAT, value], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def with_first_names(methods: Sequence[Any]) -> List[Any]:
    """Methods of an explanation, for their hash."""
    return [
        {
            FIRST_NAMES.get(method.get("type"), {}).get(key, key): value
            for key, value in method.items()
        }
        if isinstance(method, dict)
        else method
        for method in methods
    ]


def with_references(value: Any, replace: Callable[[Reference], str]) -> Any:
    """The config with each reference in its strings replaced."""
    if isinstance(value, dict):
        return {key: with_references(part, replace) for key, part in value.items()}
    if isinstance(value, list):
        return [with_references(part, replace) for part in value]
    if isinstance(value, str):
        return REFERENCE.sub(lambda match: replace(Reference(*match.groups())), value)
    return value


def references(value: Any) -> Set[str]:
    """The names of the runs that are referred to."""
    names: Set[str] = set()

    def note(reference: Reference) -> str:
        names.add(reference.run)
        return ""

    with_references(value, note)
    return names


def with_contents(value: Any, contents: Contents) -> Any:
    """
    The config with each file and folder, also one inside an archive, replaced by what is in it;
    URLs stay names, and so do the parts of the embedded corpus.
    """

    def content(setting: str, named: str) -> str:
        if not setting.endswith(PERHAPS_FILES):
            return named
        path = Path(named)
        if named and path.exists():
            # A folder's name is part of the ids of its texts.
            name = f"/{path.absolute().name}" if path.is_dir() else ""
            return f"sha256:{contents.sha256(path)}{name}"
        archive, mark, inner = named.rpartition(ARCHIVE_MARK)
        if Path(archive).is_file():
            return f"sha256:{contents.sha256(Path(archive))}{mark}{inner}"
        return named

    return _with_names(value, content)


def missing_files(value: Any) -> List[str]:
    """What a config names that is not there: no URL, and nothing that another run of the study makes."""
    missing: List[str] = []

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
    The config with each string replaced, by the setting that it is of; the parts of the embedded corpus, which
    are no files, stay as they are.
    """
    if isinstance(value, dict):
        return {
            name: part
            if name.endswith(DATA_ENDING) and is_embedded(value)
            else _with_names(part, replace, name)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [_with_names(part, replace, setting) for part in value]
    return replace(setting, value) if isinstance(value, str) else value


def is_embedded(config: Dict[str, Any]) -> bool:
    """Whether its data are made, and no files."""
    reader = config.get("dataset_reader")
    return (reader.get("type") if isinstance(reader, dict) else reader) == "planted"


def fit_for_a_file(name: str) -> str:
    """The same if it is plain; else its plain letters, and a hash that tells it from others."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    return name if plain == name else f"{plain.strip('-')[:LONGEST_NAME]}-{hash_of(name)}"


def name_of(config: Dict[str, Any]) -> str:
    """For people, and for the name of a folder: `sst-bilstm-tanh-softmax-adversary-0.001-7`."""
    model = ModelConfig(config)
    try:
        words = [model.corpus, model.registered_name]
    except (AttributeError, KeyError, TypeError):
        # Not our classifier, or no sound config: training will say.
        part = config.get("model")
        words = [str(part.get("type") if isinstance(part, dict) else part)]
    words.append(str(config.get("pytorch_seed", "")))
    return re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(words)).strip("-")[-LONGEST_NAME:]
