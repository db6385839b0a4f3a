"""
Corpora that are folders of text files, one file per text, on disk or inside a tar archive that is read
in one pass and never unpacked: the movie reviews of Maas et al. (2011) and 20 Newsgroups.
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
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.data.sources import local_path
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError

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
                if parent not in wanted or not member.isfile() or not _is_visible(name):
                    continue
                if (file := tar.extractfile(member)) is not None:
                    folder, shown = wanted[parent], f"{archive}{ARCHIVE_MARK}{path}"
                    files_of[folder][name] = CorpusFile(folder, name, file.read(), shown)
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


SENTIMENT_FOLDERS = ("neg", "pos")
FILE_NAME = re.compile(r"([0-9]+_[0-9]+)\.txt")
# The reviews are HTML in this one respect.
LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


@DatasetReader.register("acl_imdb")
class AclImdbReader(TextReader):
    """
    Reads the reviews in the folders `pos` and `neg` of a folder such as `aclImdb/train`, each in a
    file `<number>_<rating>.txt`. The folder may be inside the tar archive, given by path or URL:
    `aclImdb_v1.tar.gz!aclImdb/train`. Ids are like `train/pos/0_9`; negative and positive reviews
    alternate, in the order of their numbers. `<br />` becomes a space.

    Registered as a `DatasetReader` with name "acl_imdb".

    # Parameters

    labels : `Dict[str, str]`, optional (default = `{"neg": "0", "pos": "1"}`)

    All others as in `TextReader`.
    """

    def __init__(self, labels: dict[str, Any] | None = None, **kwargs) -> None:
        super().__init__(labels=labels or {"neg": "0", "pos": "1"}, **kwargs)

    def _examples(self, path: str) -> Iterator[Example]:
        split = folder_name(path)
        for file in text_files(path, SENTIMENT_FOLDERS):
            name = FILE_NAME.fullmatch(file.name)
            if name is None:
                raise DataError("is not named <number>_<rating>.txt as a review is", file.path)
            try:
                text = file.content.decode("utf-8")
            except UnicodeDecodeError as error:
                raise DataError(f"is not UTF-8 ({error.reason})", file.path) from error
            yield Example(
                id=f"{split}/{file.folder}/{name.group(1)}",
                text=LINE_BREAK.sub(" ", text),
                label=file.folder,
                path=file.path,
            )


QUOTED_LINE = re.compile(r"[>|]|In article|Quoted from")
ATTRIBUTION = re.compile(r"(?:writes|wrote|says|said):|writes in")


@DatasetReader.register("newsgroups")
class NewsgroupsReader(TextReader):
    """
    Reads the posts of some groups from a folder such as `20news-bydate-train`, which has one folder
    per group and in it one file per post, in Latin-1. The folder may be inside the tar archive, given by
    path or URL: `20news-bydate.tar.gz!20news-bydate-train`. Ids are like
    `20news-bydate-train/rec.sport.hockey/54185`. The groups take turns, each in the order of its
    posts' numbers.

    Registered as a `DatasetReader` with name "newsgroups".

    # Parameters

    groups : `List[str]`
        Two or more groups. Their order gives the labels: 0 for the first, 1 for the second.
    strip : `List[str]`, optional (default = `["headers", "footers", "quotes"]`)
        What to remove from a post, so that a model cannot rely on its author: see `strip_headers`,
        `strip_footer` and `strip_quotes`, which follow scikit-learn's `fetch_20newsgroups`.
    labels : `Dict[str, str]`, optional
        Other names for the groups than 0, 1, ....
    min_tokens : `int`, optional (default = `1`)
        As in `TextReader`; at 1, the posts that stripping leaves empty are dropped and counted.

    All others as in `TextReader`.
    """

    def __init__(
        self,
        groups: list[str],
        strip: list[str] | None = None,
        labels: dict[str, Any] | None = None,
        min_tokens: int = 1,
        **kwargs,
    ) -> None:
        strip = list(STRIPPERS) if strip is None else strip
        if len(set(groups)) != len(groups) or len(groups) < 2:
            raise InputError(f"groups must name two or more different groups, not {groups}")
        unknown = sorted(set(strip) - set(STRIPPERS))
        if unknown:
            raise InputError(
                f"strip names {unknown}, but these can be stripped: {', '.join(STRIPPERS)}"
            )
        labels = labels or {group: str(index) for index, group in enumerate(groups)}
        super().__init__(labels=labels, min_tokens=min_tokens, **kwargs)
        self._groups = groups
        self._strip = strip

    def _examples(self, path: str) -> Iterator[Example]:
        split = folder_name(path)
        for file in text_files(path, self._groups):
            text = file.content.decode("latin-1").replace("\r\n", "\n")
            for part, stripped in STRIPPERS.items():
                if part in self._strip:
                    text = stripped(text)
            yield Example(
                id=f"{split}/{file.folder}/{file.name}",
                text=text,
                label=file.folder,
                path=file.path,
            )


def strip_headers(post: str) -> str:
    """The post after its first empty line; empty if there is none."""
    _, _, body = post.partition("\n\n")
    return body


def strip_footer(post: str) -> str:
    """
    The post up to its last line that is empty or only hyphens, if that is not its first: what
    follows is taken for a signature.
    """
    lines = post.strip().split("\n")
    for last in range(len(lines) - 1, 0, -1):
        if not lines[last].strip().strip("-"):
            return "\n".join(lines[:last])
    return post


def strip_quotes(post: str) -> str:
    """The post without the lines that quote another post (`> ...`) or name its author."""
    return "\n".join(
        line
        for line in post.split("\n")
        if not QUOTED_LINE.match(line) and not ATTRIBUTION.search(line)
    )


# In the order in which they apply.
STRIPPERS = {"headers": strip_headers, "footers": strip_footer, "quotes": strip_quotes}
