"""The studies of tests are much alike: what jsonnet makes of the same texts, it makes once."""

from pathlib import Path
from typing import Any, Dict, Tuple

import _jsonnet
import pytest

from attention_explain.workflow import study_file

MADE: Dict[Tuple[Any, ...], str] = {}


class Remembering:
    """Jsonnet, whose answer depends on what it reads and on the variables alone."""

    @staticmethod
    def evaluate_file(path: str, ext_vars: Dict[str, str]) -> str:
        variables = {name: ext_vars[name] for name in ext_vars if name != "PYTEST_CURRENT_TEST"}
        folder = Path(path).parent
        # A test changes nothing in the project's own.
        library = [] if folder == study_file.STUDIES else sorted(folder.glob("lib/*"))
        read = tuple(file.read_bytes() for file in (Path(path), *library))
        key = (*read, *sorted(variables.items()))
        if key not in MADE:
            MADE[key] = _jsonnet.evaluate_file(path, ext_vars=ext_vars)
        return MADE[key]


@pytest.fixture(autouse=True)
def jsonnet_once(monkeypatch):
    monkeypatch.setattr(study_file, "_jsonnet", Remembering)
