"""The studies of tests are much alike: each jsonnet text is evaluated once."""

import json
import os
from pathlib import Path
from typing import Any, Dict, Tuple

import pytest

from attention_explain.jsonnet import evaluate_file
from attention_explain.workflow import study_file

EVALUATED: Dict[Tuple[Any, ...], str] = {}


def evaluate_once(path: Path, **variables: str) -> Any:
    """Evaluate a jsonnet file, whose value depends on the files it reads and on the variables alone."""
    environment = {name: os.environ[name] for name in os.environ if name != "PYTEST_CURRENT_TEST"}
    folder = Path(path).parent
    # A test changes nothing in the project's own.
    library = [] if folder == study_file.STUDIES else sorted(folder.glob("lib/*"))
    read = tuple(file.read_bytes() for file in (Path(path), *library))
    key = (*read, *sorted({**environment, **variables}.items()))
    if key not in EVALUATED:
        EVALUATED[key] = json.dumps(evaluate_file(path, **variables))
    return json.loads(EVALUATED[key])


@pytest.fixture(autouse=True)
def jsonnet_once(monkeypatch):
    monkeypatch.setattr(study_file, "evaluate_file", evaluate_once)
