"""One folder of each family, made once; a test that changes one takes a copy."""

import shutil

import pytest

from tests.tiny_transformers import FAMILIES, save_tiny_transformer


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("transformers")
    return {family: save_tiny_transformer(root / family, family) for family in FAMILIES}


@pytest.fixture
def own_folder(folders, tmp_path):
    """A copy of the BERT, to be damaged."""
    return shutil.copytree(folders["bert"], tmp_path / "own")
