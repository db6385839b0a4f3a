"""
Corpora that are folders of text files, one file per text: on disk, or inside a tar archive that is
read in one pass and never unpacked.
"""

import lzma
import os
import posixpath
import re
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from attention_explain.data.errors import DataError
from attention_explain.data.sources import local_path

ARCHIVE_MARK = "!"
BLOCK = 2**20


@dataclass(frozen=True)
class CorpusFile:
    """One file of a corpus, and its path for messages."""

    folder: str
    name: str
    content: bytes
    path: str


def text_files(source: str, folders: Sequence[str]) -> Iterator[CorpusFile]:
    """
    The files in each of `folders` below `source`, which is a folder or, as
    `archive.tar.gz!folder`, a folder inside a tar archive (a path or a URL). The order is
    deterministic: the first file of each folder, then the second of each, and so on, sorted by the
    numbers in their names, so that the beginning of a corpus has texts of every class.
    """
    archive, inner = _split(source)
    if archive:
        columns = _archived(source, archive, inner, folders)
    else:
        columns = _on_disk(source, folders)
    return (file for file in chain.from_iterable(zip_longest(*columns)) if file is not None)


def folder_name(source: str) -> str:
    """The name of the folder that `source` means: `train` for `corpus.tar.gz!corpus/train`."""
    archive, inner = _split(source)
    return posixpath.basename(inner) if archive else os.path.basename(os.path.abspath(source))


def _split(source: str) -> tuple[str, str]:
    archive, _, inner = source.rpartition(ARCHIVE_MARK)
    if not archive or os.path.exists(source):
        return "", source
    return archive, posixpath.normpath(inner.strip("/"))


def _on_disk(source: str, folders: Sequence[str]) -> list[Iterator[CorpusFile]]:
    root = local_path(source)
    if not root.is_dir():
        raise DataError(
            "is a file, but a folder is needed; a folder inside a tar archive is written "
            f"archive.tar.gz{ARCHIVE_MARK}folder",
            source,
        )
    for folder in folders:
        if not (root / folder).is_dir():
            raise _no_folder(source, folder)
    return [_files_of(root, folder) for folder in folders]


def _files_of(root: Path, folder: str) -> Iterator[CorpusFile]:
    names = (entry.name for entry in os.scandir(root / folder) if entry.is_file())
    for name in sorted(filter(_is_visible, names), key=_by_numbers):
        path = root / folder / name
        yield CorpusFile(folder, name, path.read_bytes(), str(path))


def _archived(
    source: str, archive: str, inner: str, folders: Sequence[str]
) -> list[Iterator[CorpusFile]]:
    wanted = {posixpath.normpath(posixpath.join(inner, folder)): folder for folder in folders}
    files_of: dict[str, dict[str, CorpusFile]] = {folder: {} for folder in folders}
    try:
        with tarfile.open(local_path(archive)) as tar:
            for member in tar:
                path = posixpath.normpath(member.name)
                parent, name = posixpath.split(path)
                if member.isfile() and parent in wanted and _is_visible(name):
                    folder = wanted[parent]
                    content = tar.extractfile(member).read()
                    shown = f"{archive}{ARCHIVE_MARK}{path}"
                    files_of[folder][name] = CorpusFile(folder, name, content, shown)
            # The checksum follows the last file, and is only verified by reading on.
            while tar.fileobj.read(BLOCK):
                pass
    except (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError) as error:
        raise DataError(f"is not a readable tar archive ({error})", archive) from error
    for folder, files in files_of.items():
        if not files:
            raise _no_folder(source, folder)
    return [
        iter([files[name] for name in sorted(files, key=_by_numbers)])
        for files in files_of.values()
    ]


def _no_folder(source: str, folder: str) -> DataError:
    return DataError(f"has no folder '{folder}'", source)


def _is_visible(name: str) -> bool:
    return not name.startswith(".")


def _by_numbers(name: str) -> list:
    """A key that sorts 9_1.txt before 10_1.txt."""
    parts = re.split("([0-9]+)", name)
    return [int(part) if index % 2 else part for index, part in enumerate(parts)]
