"""What somebody who mistyped a name may have meant."""

from difflib import get_close_matches
from typing import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`did you mean 'lrp'? `, to stand in a sentence; nothing where no name is near."""
    return "".join(f"did you mean '{each}'? " for each in get_close_matches(name, list(known), 1))


def no_option(whose: str, name: str, known: Iterable[str]) -> str:
    """`the trainer has no option 'num_epoch'; did you mean 'num_epochs'?`"""
    return f"{whose} has no option '{name}'; {did_you_mean(name, known)}".rstrip("; ")
