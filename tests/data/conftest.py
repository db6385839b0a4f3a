"""What the tests of the readers share: small files they write themselves, and one way to read."""

import gzip
import tarfile
from pathlib import Path

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader

import attention_explain.data.planted  # noqa: F401
from attention_explain.data.errors import DataError


@pytest.fixture
def write(tmp_path):
    """Writes a file below the test's own folder, gzipped if its name says so; gives its path."""

    def write_file(name: str, content) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = content.encode("utf-8") if isinstance(content, str) else content
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return str(path)

    return write_file


@pytest.fixture
def pack(tmp_path):
    """Packs a folder below the test's own folder into a tar archive; gives the archive's path."""

    def pack_folder(folder: str, archive: str) -> str:
        path = tmp_path / archive
        with tarfile.open(path, "w:gz" if archive.endswith("gz") else "w") as tar:
            tar.add(tmp_path / folder, arcname=folder)
        return str(path)

    return pack_folder


@pytest.fixture
def make_reader():
    """A reader as a config makes it; splits at spaces unless told otherwise."""

    def make(type: str = "attention_text", **options) -> DatasetReader:
        options.setdefault("tokenizer", {"type": "just_spaces"})
        return DatasetReader.from_params(Params({"type": type, **options}))

    return make


@pytest.fixture
def read(make_reader):
    """All instances of a file, by a reader with these options."""
    return lambda path, **options: list(make_reader(**options).read(path))


@pytest.fixture
def rejection(read):
    """The sentence with which a file is rejected."""

    def sentence(path, **options) -> str:
        with pytest.raises(DataError) as rejected:
            read(path, **options)
        return str(rejected.value)

    return sentence


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder with the published corpora, which is no part of the project."""
    folder = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the published corpora are not here")
    return folder
