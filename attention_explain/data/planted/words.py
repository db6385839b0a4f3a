"""The words and clause patterns of the planted corpus, from `words.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

Words = tuple[str, ...]

_LISTS = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))


def _words(text: str) -> Words:
    return tuple(text.split())


def _lines(text: str) -> Words:
    return tuple(text.strip().splitlines())


# By polarity: 0 negative, 1 positive.
OPINIONS: tuple[Words, Words] = (
    _words(_LISTS["opinions"]["negative"]),
    _words(_LISTS["opinions"]["positive"]),
)
WEEKDAYS: tuple[Words, Words] = (
    _words(_LISTS["weekdays"]["negative"]),
    _words(_LISTS["weekdays"]["positive"]),
)
NEGATORS = _words(_LISTS["modifiers"]["negators"])
INTENSIFIERS = _words(_LISTS["modifiers"]["intensifiers"])
NEGATORS_OF_INTENSIFIERS = _words(_LISTS["modifiers"]["negators_of_intensifiers"])

WEEKDAY_CLAUSES = _lines(_LISTS["clauses"]["weekday"])
JUDGED_CLAUSES = _lines(_LISTS["clauses"]["judged"])
UNNEGATED_CLAUSES = _lines(_LISTS["clauses"]["unnegated"])
SHARED_CLAUSES = _lines(_LISTS["clauses"]["shared"])
QUESTIONS = _lines(_LISTS["clauses"]["questions"])
# By their number of tokens.
OPENERS = {int(tokens): _lines(lines) for tokens, lines in _LISTS["openers"].items()}
# Of one token each, so that they do not change the length.
JOINERS = ("and", ";")
# For the slots of clauses.
SHARED_WORDS = {slot: _words(words) for slot, words in _LISTS["words"].items()}


@dataclass(frozen=True)
class Domain:
    """
    What is reviewed: the aspects that can be judged, the neutral clauses about it, and the words for
    their slots in addition to the shared ones.
    """

    aspects: Words
    clauses: Words
    words: dict[str, Words]


DOMAINS: tuple[Domain, ...] = tuple(
    Domain(
        aspects=_words(domain["aspects"]),
        clauses=_lines(domain["clauses"]),
        words={slot: _words(words) for slot, words in domain["words"].items()},
    )
    for domain in _LISTS["domains"]
)
