"""20 Newsgroups, sorted by date: folders of posts, and the rules that strip what is not the post."""

import re
from collections.abc import Iterator
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.example import Example
from attention_explain.data.folders import folder_name, text_files
from attention_explain.data.text_reader import TextReader
from attention_explain.errors import InputError

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
        strip: list[str] = ("headers", "footers", "quotes"),
        labels: dict[str, Any] | None = None,
        min_tokens: int = 1,
        **kwargs,
    ) -> None:
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
