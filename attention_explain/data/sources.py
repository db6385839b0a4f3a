"""
Reading of data files: local paths and URLs, plain or gzip, lines, tables and parquet; and the filters
of texts by label and length, with counts of what was dropped and cut, and why.
"""

import csv
import gzip
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import pyarrow
from allennlp.common import file_utils

from attention_explain.archive_reach import check_readable
from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.errors import InputError
from attention_explain.files.tables import DamagedFileError, read_sealed
from attention_explain.named_components import check_choice
from attention_explain.pretrained.folders import HUB, transformer_folder
from attention_explain.settings import DATA_VARIABLE

TOO_LONG = ("drop", "cut")
# Tags that occur in text copied from web pages; a placeholder such as <DE> is a word.
HTML_TAG = re.compile(
    r"</?(?:a|b|blockquote|body|br|code|div|em|font|h[1-6]|hr|html|i|img|li|ol|p|pre|script|span"
    r"|strong|style|sub|sup|table|td|th|tr|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
GZIP_MAGIC = b"\x1f\x8b"

PathOrStr = Union[str, os.PathLike]


def local_path(source: PathOrStr) -> Path:
    """The local file or folder of `source`, which is a path or a URL (downloaded once, cached)."""
    check_readable(source)
    source = os.fspath(source)
    here = Path(source).expanduser()
    # cached_path makes its cache folder even for a local file, and a home may be read-only.
    if here.exists():
        return here
    if source.startswith(HUB):
        return transformer_folder(source)
    try:
        return Path(file_utils.cached_path(source))
    except FileNotFoundError as error:
        if "://" in source:
            raise DataError("no such file on that server", source) from error
        where = "" if here.is_absolute() else f" under {os.getcwd()}"
        raise DataError(f"no such file or folder{where}; {_remedy(here)}", source) from error
    except (ValueError, OSError) as error:
        raise DataError(f"cannot be opened ({error})", source) from error


def _remedy(path: Path) -> str:
    """A hint for configs that read from the folder named by an environment variable."""
    folder = os.environ.get(DATA_VARIABLE)
    if folder and Path(folder).expanduser() in path.parents:
        return (
            f"check the path, or set the environment variable {DATA_VARIABLE} to the folder that "
            "holds the data"
        )
    return "check the path"


def numbered_lines(source: PathOrStr, path: Path | None = None) -> Iterator[tuple[int, str]]:
    """
    The lines of a UTF-8 text file without their line ends, numbered from 1. A gzip file is
    recognised by its content, since a downloaded file has lost its ending. `path` is the local
    file, if it is known already.
    """
    path = path or local_path(source)
    if path.is_dir():
        raise DataError("is a folder, but a file is needed", source)
    number = 0
    try:
        with open(path, "rb") as raw:
            packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            raw.seek(0)
            for line in gzip.GzipFile(fileobj=raw) if packed else raw:
                number += 1
                # The byte order mark that spreadsheet programs write is not text.
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 ({error.reason})", source, number) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"is a damaged gzip file ({error})", source, number + 1) from error
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", source) from error


@dataclass
class ReadCounts:
    """
    kept : the number of texts read, including those that were cut.
    dropped : by reason, such as "with more than 400 tokens".
    cut : by what is left of them, such as "to 400 tokens".
    spaced_labels : the number of texts whose label had spaces around it, which are removed.
    halves : the number of texts that contained half a character (a lone surrogate).
    tagged : the number of texts that contain HTML tags; `first_tag` is the first one, for messages.
    """

    kept: int = 0
    dropped: Counter = field(default_factory=Counter)
    cut: Counter = field(default_factory=Counter)
    spaced_labels: int = 0
    halves: int = 0
    tagged: int = 0
    first_tag: str = ""

    def count_tags(self, example: Example) -> None:
        """Count an example if its strings contain HTML tags; tokens are not searched."""
        tags = (HTML_TAG.search(text) for text in (example.text, example.query) if text)
        tag = next(filter(None, tags), None)
        if tag is not None:
            self.tagged += 1
            where = "" if example.line is None else f" in line {example.line}"
            self.first_tag = self.first_tag or f"{tag[0][:40]!r}{where}"

    def __str__(self) -> str:
        dropped = f"; dropped: {counted(self.dropped)}" if self.dropped else ""
        cut = f"; cut: {counted(self.cut)}" if self.cut else ""
        return f"{self.kept} texts kept{dropped}{cut}"

    def to_dict(self) -> dict[str, Any]:
        """The counts as written into files."""
        return {"kept": self.kept, "dropped": dict(self.dropped), "cut": dict(self.cut)}


def counted(reasons: dict[str, int]) -> str:
    """For messages: "564 with fewer than 6 tokens, 3 with an unwanted label"."""
    return ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))


def left_out(texts: dict[str, Any] | None) -> list[str]:
    """Lines on the dropped and cut texts, from the result of `to_dict`; none for None."""
    if texts is None:
        return []
    dropped, cut = sum(texts["dropped"].values()), sum(texts["cut"].values())
    lines = []
    if dropped:
        all_texts = texts["kept"] + dropped
        lines.append(f"  {dropped} of {all_texts} texts dropped: {counted(texts['dropped'])}")
    if cut:
        lines.append(f"  {cut} of {texts['kept']} texts cut: {counted(texts['cut'])}")
    return lines


class LabelMap:
    """The readers' option `labels`: None keeps all labels, a name of None drops the texts."""

    def __init__(self, labels: dict[str, Any] | None) -> None:
        self.labels = labels

    def without_spaces(self, label: str) -> str:
        """The label without surrounding spaces, unless the map has it with them."""
        return label if label in (self.labels or {}) else label.strip()

    def mapped(self, example: Example, field: str) -> str | None:
        """
        The new name of the example's label, from `field` of its file; None if the text is to be
        dropped.
        """
        label = str(example.label)
        if self.labels is None:
            return label
        if label not in self.labels:
            known = ", ".join(repr(name) for name in self.labels)
            raise example.error(f"field '{field}' is {label!r}, which is not one of {known}")
        name = self.labels[label]
        return None if name is None else str(name)

    def is_new_name(self, label: str) -> bool:
        """Whether the map produces this name and does not replace it."""
        labels = self.labels or {}
        new_names = {str(name) for name in labels.values() if name is not None}
        return label in new_names and label not in labels


class LengthLimits:
    """Parameters as in the readers. `cut_to` : the number of tokens that texts are cut to, or None."""

    def __init__(
        self,
        min_tokens: int | None,
        max_tokens: int | None,
        too_long: str,
        drop_shortest: bool,
        drop_longest: bool,
    ) -> None:
        if min_tokens is not None and min_tokens < 1:
            raise InputError(f"min_tokens is {min_tokens}, but must be 1 or more")
        if min_tokens is not None and max_tokens is not None and min_tokens > max_tokens:
            raise InputError(f"min_tokens ({min_tokens}) is larger than max_tokens ({max_tokens})")
        check_choice("too_long", too_long, TOO_LONG)
        if too_long == "cut" and (max_tokens is None or max_tokens < 1):
            raise InputError("too_long 'cut' needs a max_tokens of 1 or more to cut to")
        self.cut_to = max_tokens if too_long == "cut" else None
        self._min_tokens = min_tokens
        self._longest = max_tokens if self.cut_to is None else None
        self._drop_shortest = drop_shortest
        self._drop_longest = drop_longest

    def kept(
        self, examples: Iterable[tuple[Example, list[str]]], counts: ReadCounts, noun: str
    ) -> Iterator[tuple[Example, list[str]]]:
        """
        The examples of a file, with their words, that the limits keep; the others are counted by
        reason. `noun` : the name of an example in messages.
        """
        shortest, longest = self._min_tokens or 0, self._longest
        if self._drop_shortest or self._drop_longest:
            examples = list(examples)
            lengths = [len(words) for _, words in examples] or [0]
            if self._drop_shortest:
                shortest = max(min(lengths) + 1, shortest)
            if self._drop_longest:
                longest = min([max(lengths) - 1] + ([] if longest is None else [longest]))
        for example, words in examples:
            if not words and self._min_tokens is None:
                raise example.error(
                    f"the {noun} is empty (the dataset reader's option min_tokens, 1 or more, drops "
                    "such texts)"
                )
            elif len(words) < shortest:
                counts.dropped[f"with fewer than {shortest} tokens"] += 1
            elif longest is not None and len(words) > longest:
                counts.dropped[f"with more than {longest} tokens"] += 1
            else:
                yield example, words


LONGEST_CELL = 2**31 - 1  # Clinical notes are longer than the csv module's default limit.


def numbered_rows(source: PathOrStr, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """
    The non-empty rows of a table, with the number of their first line: a quoted cell may span lines.
    """
    csv.field_size_limit(LONGEST_CELL)
    lines = (line + "\n" for _, line in numbered_lines(source))
    table = csv.reader(
        lines,
        delimiter=delimiter,
        # Tab-separated files of this field do not quote: a lone " is a token like any other.
        quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL,
        strict=True,
    )
    first_line = 1
    try:
        for row in table:
            if row:
                yield first_line, row
            first_line = table.line_num + 1
    except csv.Error as error:
        raise DataError(f"is not a table ({error})", source, first_line) from error


def read_parquet(source: PathOrStr, columns: Sequence[str] | None = None) -> pyarrow.Table:
    """The table, or some of its columns; `DataError` if it is damaged."""
    try:
        return read_sealed(local_path(source), columns=columns)
    except DamagedFileError as error:
        raise DataError(str(error)) from error
