"""A small base model that all adversaries of these tests have."""

from pathlib import Path

import pytest

from tests.small_archive import small_archive


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> Path:
    return small_archive(tmp_path_factory.mktemp("base"), encoder="affine")
