"""Wording that all commands share: durations, suggestions for mistyped names, shortened texts."""

from collections.abc import Iterable
from difflib import get_close_matches

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def in_words(seconds: float) -> str:
    """A duration in a suitable unit."""
    if seconds < 1.5 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 1.5 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:.1f} h"
    return f"{seconds / DAY:.1f} days"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'lrp'? `; empty if no known name is similar."""
    return "".join(f"did you mean '{each}'? " for each in get_close_matches(name, list(known), 1))


def no_option(whose: str, name: str, known: Iterable[str]) -> str:
    """`the trainer has no option 'num_epoch'; did you mean 'num_epochs'?`"""
    return f"{whose} has no option '{name}'; {did_you_mean(name, known)}".rstrip("; ")


def shorten(text: str, most: int = 80) -> str:
    """The text, or its beginning followed by three dots."""
    return text if len(text) <= most else text[:most] + "..."
