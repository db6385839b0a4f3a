"""One folder of each family, made once; a test that changes one takes a copy."""

import shutil
from pathlib import Path

import pytest

from tests.tiny_transformers import save_tiny_transformer


class Folders(dict[str, Path]):
    """Of each family, made when it is first needed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __missing__(self, name: str) -> Path:
        # Of `modernbert-mean`, the head reads the mean of all positions.
        family = name.removesuffix("-mean")
        options = {} if name == family else {"classifier_pooling": "mean"}
        self[name] = save_tiny_transformer(self.root / name, family, **options)
        return self[name]


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    return Folders(tmp_path_factory.mktemp("transformers"))


@pytest.fixture
def own_folder(folders, tmp_path):
    """A copy of the BERT, to be damaged."""
    return shutil.copytree(folders["bert"], tmp_path / "own")
