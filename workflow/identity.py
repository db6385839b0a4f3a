"""
What a run is, whatever it is called and wherever its files lie: the hash of all that decides its
result. Data files count by their content, other runs by their own hash.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Callable, Dict, Set

from analysis.model_config import ModelConfig
from workflow.contents import Contents

# Counts among what decides a result: raised when the commands' results change for the same config.
FORMAT = 1
LENGTH = 10
# Settings that name a file.
FILE_ENDINGS = ("_path", "_file")
# How lib/study.libsonnet refers to other runs of the study.
REFERENCE = re.compile(r"<(run|guide|attributions):([^<>]+)>")


def hash_of(value: Any) -> str:
    """The same for the same JSON, whatever the order of its keys."""
    text = json.dumps([FORMAT, value], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]


def with_references(value: Any, replace: Callable[[str, str], str]) -> Any:
    """The config with each `<kind:name>` in its strings replaced."""
    if isinstance(value, dict):
        return {key: with_references(part, replace) for key, part in value.items()}
    if isinstance(value, list):
        return [with_references(part, replace) for part in value]
    if isinstance(value, str):
        return REFERENCE.sub(lambda found: replace(found[1], found[2]), value)
    return value


def references(value: Any) -> Set[str]:
    """The names of the runs that are referred to."""
    found: Set[str] = set()

    def note(_: str, name: str) -> str:
        found.add(name.partition("/")[0])
        return name

    with_references(value, note)
    return found


def with_contents(value: Any, contents: Contents, key: str = "") -> Any:
    """The config with each file replaced by what is in it; folders and URLs stay names."""
    if isinstance(value, dict):
        return {name: with_contents(part, contents, name) for name, part in value.items()}
    if isinstance(value, list):
        return [with_contents(part, contents, key) for part in value]
    if isinstance(value, str) and key.endswith(FILE_ENDINGS) and Path(value).is_file():
        return f"sha256:{contents.sha256(Path(value))}"
    return value


def name_of(config: Dict[str, Any]) -> str:
    """For people, and for the name of a folder: `sst-bilstm-tanh-softmax-adversary-0.001-7`."""
    model = ModelConfig(config)
    try:
        words = [model.corpus, model.name]
    except (AttributeError, KeyError, TypeError):
        # Not our classifier, or no sound config: training will say.
        part = config.get("model")
        words = [str(part.get("type") if isinstance(part, dict) else part)]
    words.append(str(config.get("pytorch_seed", "")))
    return re.sub(r"[^A-Za-z0-9.]+", "-", " ".join(words)).strip("-")
