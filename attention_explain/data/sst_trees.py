"""The Stanford Sentiment Treebank as published: one bracketed tree per line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from allennlp.data import DatasetReader

from attention_explain.data.errors import DataError
from attention_explain.data.example import Example
from attention_explain.data.sources import numbered_lines
from attention_explain.data.text_reader import TextReader
from attention_explain.named_components import check_choice

# The classes that the trees write as 0 to 4.
SENTIMENTS = ("very negative", "negative", "neutral", "positive", "very positive")
GRANULARITIES: dict[str, dict[str, str | None]] = {
    "binary": dict(zip(SENTIMENTS, ("0", "0", None, "1", "1"), strict=True)),
    "five": dict(zip(SENTIMENTS, "01234", strict=True)),
}
# Some words hold a no-break space, so only the plain space separates.
BRACKET_OR_WORD = re.compile(r"[()]|[^() ]+")


@dataclass
class Phrase:
    """A node of a tree: its class, and the words from `start` up to, not including, `end`."""

    sentiment: str
    start: int
    end: int


@DatasetReader.register("sst_trees")
class SstTreesReader(TextReader):
    """
    Reads the official tree files of the Stanford Sentiment Treebank (`train.txt`, `dev.txt`,
    `test.txt`; plain or gzip, from a path or URL). Words are kept as published, with `-LRB-` for a
    bracket and `\\/` for a slash. The id is the line: `line-7`.

    Registered as a `DatasetReader` with name "sst_trees".

    # Parameters

    granularity : `str`, optional (default = `"binary"`)
        `binary` gives the labels 0 (negative) and 1 (positive) and drops the neutral sentences;
        `five` gives 0 (very negative) to 4 (very positive).
    subtrees : `bool`, optional (default = `False`)
        Also read every phrase inside a sentence as a text; its id is `line-7/2` for the third node
        of the seventh tree.
    labels : `Dict[str, str]`, optional
        Another map from the classes `very negative`, `negative`, `neutral`, `positive`, `very
        positive` instead of that of `granularity`.

    All others as in `TextReader`.
    """

    def __init__(
        self,
        granularity: str = "binary",
        subtrees: bool = False,
        labels: dict[str, Any] | None = None,
        **kwargs,
    ) -> None:
        check_choice("granularity", granularity, GRANULARITIES)
        super().__init__(labels=labels or GRANULARITIES[granularity], **kwargs)
        self._subtrees = subtrees

    def _examples(self, path: str) -> Iterator[Example]:
        for number, line in numbered_lines(path):
            if not line.strip():
                continue
            try:
                words, phrases = parse_tree(line)
            except ValueError as error:
                raise DataError(f"is not a sentiment tree ({error})", path, number) from error
            for index, phrase in enumerate(phrases if self._subtrees else phrases[:1]):
                yield Example(
                    id=f"line-{number}/{index}" if index else f"line-{number}",
                    tokens=words[phrase.start : phrase.end],
                    label=phrase.sentiment,
                    path=path,
                    line=number,
                )


def parse_tree(line: str) -> tuple[list[str], list[Phrase]]:
    """
    The words of a tree and its phrases, each before the phrases inside it, so that the first is the
    whole sentence. A node is `(class word)` or `(class node node ...)`.
    """
    words: list[str] = []
    phrases: list[Phrase] = []
    open_phrases: list[Phrase] = []
    symbols = iter(BRACKET_OR_WORD.findall(line))
    for symbol in symbols:
        if phrases and not open_phrases:
            raise ValueError(f"{symbol!r} follows the end of the tree")
        if symbol == "(":
            if open_phrases and _is_word(open_phrases[-1], words, phrases):
                raise ValueError(f"a node holds the word {words[-1]!r} and another node")
            phrase = Phrase(_sentiment(next(symbols, None)), len(words), len(words))
            phrases.append(phrase)
            open_phrases.append(phrase)
        elif not open_phrases:
            raise ValueError(f"it begins with {symbol!r} instead of a bracket")
        elif symbol == ")":
            phrase = open_phrases.pop()
            if phrase.start == len(words):
                raise ValueError("a node holds no word")
            phrase.end = len(words)
        elif open_phrases[-1] is not phrases[-1] or open_phrases[-1].start != len(words):
            raise ValueError(f"the word {symbol!r} is not in a node of its own")
        else:
            words.append(symbol)
    if open_phrases or not phrases:
        raise ValueError(f"{len(open_phrases)} brackets are not closed")
    return words, phrases


def _is_word(phrase: Phrase, words: list[str], phrases: list[Phrase]) -> bool:
    return phrase is phrases[-1] and phrase.start < len(words)


def _sentiment(symbol: str | None) -> str:
    if symbol is None:
        raise ValueError("a class is missing")
    if symbol not in ("0", "1", "2", "3", "4"):
        raise ValueError(f"a class is {symbol!r}, but must be 0, 1, 2, 3 or 4")
    return SENTIMENTS[int(symbol)]
