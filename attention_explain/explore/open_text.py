"""What the page sends as a text, and a text that was read: its scores and states are kept."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_explain.counterfactual.perturbation import FixedStates
from attention_explain.errors import InputError
from attention_explain.explained import Explained

# Of a longer text some methods would let everybody else wait for minutes.
MOST_WORDS = 1000


@dataclass(frozen=True)
class GivenText:
    """
    text, words : one of them; words are what is left of a text that was changed on the page.
    query : the second text of a pair.
    target : the label to explain, if not the predicted one.
    """

    text: str | None = None
    words: tuple | None = None
    query: str | None = None
    target: str | None = None

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> "GivenText":
        """From a request, which may hold anything."""
        for name in ("text", "query", "target"):
            if not isinstance(asked.get(name), (str, type(None))):
                raise InputError(f"'{name}' must be a string")
        words = asked.get("words")
        if words is not None:
            words = tuple(strings_of(words, "words"))
        if (words is None) == (asked.get("text") is None):
            raise InputError("a request needs a 'text' or its 'words', and not both")
        return cls(asked.get("text"), words, asked.get("query"), asked.get("target"))


def strings_of(value: Any, name: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(f"'{name}' must be a list of strings")
    return value


def numbers_of(value: Any, name: str) -> list[float]:
    if not isinstance(value, list) or not all(type(each) in (int, float) for each in value):
        raise InputError(f"'{name}' must be a list of numbers")
    return [float(each) for each in value]


def check_length(words: int) -> None:
    if words > MOST_WORDS:
        raise InputError(
            f"the text has {words:,} words, but this page takes up to {MOST_WORDS:,}; 'allennlp "
            "attribute' explains longer ones"
        )


@dataclass
class OpenText:
    """
    explained : grows by the methods that are asked for.
    states : for other attention weights; computed on first use.
    """

    explained: Explained
    states: FixedStates | None = None
