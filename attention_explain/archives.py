"""Trained models as files: opened with a clear word on what is none, and told apart by content."""

import hashlib
import os
import tarfile
from os import PathLike
from pathlib import Path
from typing import Any, Dict, List, Union

from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.models.archival import CONFIG_NAME, Archive, get_weights_path, load_archive

# A set, which AllenNLP writes in an order that changes from process to process.
NAMESPACES = "non_padded_namespaces.txt"


def open_archive(
    path: Union[str, PathLike], cuda_device: int = -1, overrides: Union[str, Dict[str, Any]] = ""
) -> Archive:
    """The archive, or training run, at a path or URL."""
    place = local_path(path)
    if place.is_dir() and not (place / CONFIG_NAME).exists():
        raise ConfigurationError(f"{path}: the folder of no training run (it has no {CONFIG_NAME})")
    try:
        return load_archive(place, cuda_device=cuda_device, overrides=overrides)
    except (tarfile.ReadError, EOFError) as error:
        raise ConfigurationError(f"{path}: is not a model archive ({error})") from error


def archive_sha256(path: Union[str, PathLike]) -> str:
    """Of an archive file; or of config, weights and vocabulary of a training run."""
    place = local_path(path)
    digest = hashlib.sha256()
    if place.is_file():
        _add_file(digest, place)
        return digest.hexdigest()
    for file in _files_that_count(place):
        digest.update(file.relative_to(place).as_posix().encode() + b"\0")
        if file.name == NAMESPACES:
            digest.update(b"".join(sorted(file.read_bytes().splitlines(keepends=True))))
        else:
            _add_file(digest, file)
    return digest.hexdigest()


def local_path(path: Union[str, PathLike]) -> Path:
    """Of a path or URL. cached_path makes its cache folder even for what is here already."""
    here = Path(path).expanduser()
    return here if here.exists() else Path(cached_path(os.fspath(path)))


def _files_that_count(run: Path) -> List[Path]:
    vocabulary = sorted(file for file in run.glob("vocabulary/*") if not file.name.startswith("."))
    return [run / CONFIG_NAME, Path(get_weights_path(run)), *vocabulary]


def _add_file(digest: "hashlib._Hash", path: Path) -> None:
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
