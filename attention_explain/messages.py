"""Wording that all commands share: durations, suggestions for mistyped names, jsonnet's errors."""

from difflib import get_close_matches
from os import PathLike
from typing import Iterable, Union

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def in_words(seconds: float) -> str:
    """In the unit in which a person thinks of it."""
    if seconds < 1.5 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 1.5 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:.1f} h"
    return f"{seconds / DAY:.1f} days"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'lrp'? `, to stand in a sentence; nothing where no name is near."""
    return "".join(f"did you mean '{each}'? " for each in get_close_matches(name, list(known), 1))


def no_option(whose: str, name: str, known: Iterable[str]) -> str:
    """`the trainer has no option 'num_epoch'; did you mean 'num_epochs'?`"""
    return f"{whose} has no option '{name}'; {did_you_mean(name, known)}".rstrip("; ")


# jsonnet's own library, in which nobody can mend anything.
LIBRARY = "std.jsonnet:"


def jsonnet_sentence(error: RuntimeError, file: Union[str, PathLike]) -> str:
    """
    What is wrong, where, and in which file that was asked for, if it is another one.

    # Parameters

    error : `RuntimeError`
        A message, then the places that led there, the innermost first, each after a tab.
    file : `str` or `PathLike`
        What was evaluated.
    """
    lines = str(error).splitlines()
    message = " ".join(line.strip() for line in lines if line.strip() and line[0] != "\t")
    places = [line.split("\t")[1] for line in lines if line.startswith("\t") and ":" in line]
    places = [place for place in places if not place.startswith(LIBRARY)]
    sentence = f"{message} at {places[0]}" if places else message
    if f" {file}:" in sentence:
        return sentence
    own = next((place for place in places if place.startswith(f"{file}:")), file)
    return f"{sentence}, in {own}"
